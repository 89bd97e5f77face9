package load

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"ratelab/internal/result"
)

// Health is what the generator suffered itself while it measured. What counts is watched, not the rehearsal. A stall is
// how late a beat was: for so long at least nothing of this process ran in time. Pauses, and how long a goroutine that
// could run waited for a processor, are upper bounds from the runtime's own histograms.
type Health struct {
	result.Health           // CPUShare is 0 where it is not known
	StalledAt     time.Time // when the longest stall began
}

// leastWatched is how long a process must have been watched so that its processor time tells something: the kernel
// brings it up to date every few milliseconds, and a run of 1 ms took 1364 % of its processors.
const leastWatched = 100 * time.Millisecond

// heartbeat is how long a thread naps at a time that looks for stalls.
const heartbeat = time.Millisecond

// watchHealth watches from an instant on until stop. It beats on a thread of its own, as the pacer does, so that both
// suffer the same.
func watchHealth(clock Stopwatch, from time.Duration) (stop func() Health) {
	var ended atomic.Bool
	found := make(chan Health, 1)
	go func() {
		runtime.LockOSThread()
		for left := from - clock.Now(); left > 0 && !ended.Load(); left = from - clock.Now() {
			clock.Nap(min(heartbeat, left))
		}
		var h Health
		before, began := gauge(), clock.Now()
		clock.beat(heartbeat, ended.Load, func(s span) {
			if late := inUS(s.to - s.from); late > h.StallMaxUS {
				h.StallMaxUS, h.StalledAt = late, clock.Origin.Add(s.from)
			}
		})
		h.since(before, clock.Now()-began)
		found <- h
	}()
	return func() Health {
		ended.Store(true)
		return <-found
	}
}

// add keeps the worse of what the generator suffered in two runs.
func (h *Health) add(o Health) {
	if o.StallMaxUS > h.StallMaxUS {
		h.StalledAt = o.StalledAt
	}
	h.Worst(o.Health)
}

func inUS(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// gauges are counters that only grow, read at one instant.
type gauges struct {
	at             time.Time // by both clocks: without its monotonic reading it is the wall clock's
	cpu            time.Duration
	pauses, delays *metrics.Float64Histogram
}

func gauge() gauges {
	samples := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}, {Name: "/sched/latencies:seconds"}}
	metrics.Read(samples)
	return gauges{time.Now(), cpuTime(), samples[0].Value.Float64Histogram(), samples[1].Value.Float64Histogram()}
}

// since fills in what happened after before, for so long.
func (h *Health) since(before gauges, watched time.Duration) {
	now := gauge()
	if now.cpu >= 0 && before.cpu >= 0 && watched >= leastWatched {
		h.CPUShare = float64(now.cpu-before.cpu) / float64(watched)
	}
	h.ClockDivergedUS = inUS((now.at.Round(0).Sub(before.at.Round(0)) - now.at.Sub(before.at)).Abs())
	h.GCPauseP999US = inUS(atQuantile(before.pauses, now.pauses, 0.999))
	h.GCPauseMaxUS = inUS(atQuantile(before.pauses, now.pauses, 1))
	h.SchedulerP99US = inUS(atQuantile(before.delays, now.delays, 0.99))
}

// atQuantile is the upper bound, in seconds read as a duration, of the bucket that holds the quantile q of what was
// counted between two readings of a histogram; 0 of nothing.
func atQuantile(before, after *metrics.Float64Histogram, q float64) time.Duration {
	total := uint64(0)
	for i, n := range after.Counts {
		total += n - before.Counts[i]
	}
	rank := max(1, uint64(math.Ceil(q*float64(total))))
	seen := uint64(0)
	for i, n := range after.Counts {
		n -= before.Counts[i]
		if seen += n; n > 0 && seen >= rank {
			bound := after.Buckets[i+1]
			if math.IsInf(bound, 1) {
				bound = after.Buckets[i]
			}
			return time.Duration(bound * float64(time.Second))
		}
	}
	return 0
}

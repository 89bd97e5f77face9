package load

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Health is what the generator suffered itself while it measured. What counts is watched, not the rehearsal.
type Health struct {
	Watched time.Duration // for how long

	// LongestStall is the most that a beat was late: for so long at least nothing of this process ran in time.
	LongestStall time.Duration
	StalledAt    time.Time // when it began

	// of the runtime's stop-the-world phases, from its own histogram: upper bounds
	GCPauseP999, GCPauseMax time.Duration
	SchedLatencyP99         time.Duration // how long a goroutine that could run waited for a processor: an upper bound

	// CPU is the processor time of the process, user and system, or -1 where the system does not tell. Cores is what
	// it may use: GOMAXPROCS, which respects a container's quota.
	CPU   time.Duration
	Cores int

	// ClockStep is how far the wall clock went beyond the monotonic one: somebody set it, or it is being slewed.
	ClockStep time.Duration
}

// leastWatched is how long a process must have been watched so that its processor time tells something: the kernel
// brings it up to date every few milliseconds, and a run of 1 ms took 1364 % of its processors.
const leastWatched = 100 * time.Millisecond

// CPUShare is the part of the processors' time that the process took, 0 to 1, or -1 where that is not known.
func (h Health) CPUShare() float64 {
	if h.CPU < 0 || h.Watched < leastWatched || h.Cores == 0 {
		return -1
	}
	return float64(h.CPU) / float64(h.Watched) / float64(h.Cores)
}

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
			if late := s.to - s.from; late > h.LongestStall {
				h.LongestStall, h.StalledAt = late, clock.Origin.Add(s.from)
			}
		})
		h.Watched = clock.Now() - began
		h.since(before)
		found <- h
	}()
	return func() Health {
		ended.Store(true)
		return <-found
	}
}

// add joins what the generator suffered in another run. Of percentiles the worse one stands for both.
func (h *Health) add(o Health) {
	h.Watched += o.Watched
	if o.LongestStall > h.LongestStall {
		h.LongestStall, h.StalledAt = o.LongestStall, o.StalledAt
	}
	h.GCPauseP999, h.GCPauseMax = max(h.GCPauseP999, o.GCPauseP999), max(h.GCPauseMax, o.GCPauseMax)
	h.SchedLatencyP99 = max(h.SchedLatencyP99, o.SchedLatencyP99)
	if h.CPU += o.CPU; o.CPU < 0 || h.CPU < o.CPU {
		h.CPU = -1
	}
	h.Cores = o.Cores
	if o.ClockStep.Abs() > h.ClockStep.Abs() {
		h.ClockStep = o.ClockStep
	}
}

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

// since fills in what happened after before.
func (h *Health) since(before gauges) {
	now := gauge()
	h.Cores = runtime.GOMAXPROCS(0)
	h.CPU = -1
	if now.cpu >= 0 && before.cpu >= 0 {
		h.CPU = now.cpu - before.cpu
	}
	h.ClockStep = now.at.Round(0).Sub(before.at.Round(0)) - now.at.Sub(before.at)
	h.GCPauseP999 = atQuantile(before.pauses, now.pauses, 0.999)
	h.GCPauseMax = atQuantile(before.pauses, now.pauses, 1)
	h.SchedLatencyP99 = atQuantile(before.delays, now.delays, 0.99)
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

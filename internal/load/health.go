package load

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// Health describes what disturbed the generator during the measurement. It does not cover the rehearsal.
type Health struct {
	StallMax      time.Duration // the longest delay of a heartbeat; meanwhile nothing in this process ran on time
	GCPauseP999   time.Duration // an upper bound from the runtime's histogram
	CPUShare      float64       // of one processor; 0: unknown
	ClockDiverged time.Duration // by how much the wall clock and the monotonic clock diverged

	// PoolWaits counts requests that found no free worker, although there was no burst: since the queue was last empty,
	// never more requests than workers were due at the same instant. There were too few connections.
	PoolWaits int64
	Overflow  int64 // durations that were too long for a histogram
}

// leastWatched is the shortest measurement for which the processor time means something. The kernel updates the
// processor time only every few milliseconds: a run of 1 ms seemed to use 1364 % of its processors.
const leastWatched = 100 * time.Millisecond

// heartbeat is how long the watching thread sleeps between two checks for stalls.
const heartbeat = time.Millisecond

// watchHealth watches the process from an instant until stop is called. It naps repeatedly and measures how late each
// nap ends. For that time the process did not run: it was stopped or swapped out, or others used the processors. The
// first beat is due at the given instant. The beats have their own thread, like the pacer, so that both suffer the same
// delays.
func watchHealth(clock Stopwatch, from time.Duration) (stop func() Health) {
	var ended atomic.Bool
	found := make(chan Health, 1)
	go func() {
		runtime.LockOSThread()
		for left := from - clock.Now(); left > 0 && !ended.Load(); left = from - clock.Now() {
			clock.Nap(min(heartbeat, left))
		}
		before, began := gauge(), clock.Now()
		h := Health{StallMax: max(0, began-from)}
		for at := began; !ended.Load(); {
			clock.Nap(heartbeat)
			now := clock.Now()
			h.StallMax = max(h.StallMax, now-at-heartbeat)
			at = now
		}
		h.since(before, clock.Now()-began)
		found <- h
	}()
	return func() Health {
		ended.Store(true)
		return <-found
	}
}

// gauges are readings of counters that only grow, taken at one instant.
type gauges struct {
	at     time.Time // with the wall clock and the monotonic clock
	cpu    time.Duration
	pauses *metrics.Float64Histogram
}

func gauge() gauges {
	samples := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(samples)
	return gauges{time.Now(), cpuTime(), samples[0].Value.Float64Histogram()}
}

// since sets the fields that follow from the counters at the start and now. watched is the time between the two.
func (h *Health) since(before gauges, watched time.Duration) {
	now := gauge()
	if now.cpu >= 0 && before.cpu >= 0 && watched >= leastWatched {
		h.CPUShare = float64(now.cpu-before.cpu) / float64(watched)
	}
	h.ClockDiverged = (now.at.Round(0).Sub(before.at.Round(0)) - now.at.Sub(before.at)).Abs()
	h.GCPauseP999 = atQuantile(before.pauses, now.pauses, 0.999)
}

// atQuantile returns the upper bound of the histogram bucket that holds the quantile q of the values counted between
// two readings. The values are in seconds. It returns 0 if nothing was counted.
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

// cpuTime returns the processor time that this process has used, or -1 if it is unknown.
func cpuTime() time.Duration {
	mine := process.Process{Pid: int32(os.Getpid())}
	t, err := mine.Times()
	if err != nil {
		return -1
	}
	return time.Duration((t.User + t.System) * float64(time.Second))
}

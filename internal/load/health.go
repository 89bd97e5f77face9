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

// Health is what disturbed the generator while it measured. Rehearsals are not watched.
type Health struct {
	StallMax      time.Duration // the longest time by which a beat was late: nothing of this process ran in time
	GCPauseP999   time.Duration // an upper bound from the runtime's histogram
	CPUShare      float64       // of one processor; 0: not known
	ClockDiverged time.Duration // how far the wall clock and the monotonic clock went apart

	// PoolWaits counts requests that found no worker free without a burst being the reason: no more requests than
	// workers were due at one instant since the last time that none waited. The connections were too few.
	PoolWaits int64
	Overflow  int64 // durations that were too long for a histogram
}

// leastWatched is how long a process must have been watched so that its processor time tells something: the kernel
// updates it every few milliseconds, and a run of 1 ms took 1364 % of its processors.
const leastWatched = 100 * time.Millisecond

// heartbeat is how long a thread sleeps at a time that looks for stalls.
const heartbeat = time.Millisecond

// watchHealth watches from an instant on until stop. It naps again and again, and sees how late each nap ends: for so
// long this process stood still, because it was stopped, swapped out, or the processors were somebody else's. The first
// beat is due at the instant itself. It beats on a thread of its own, as the pacer does, so that both suffer the same.
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

// gauges are counters that only grow, read at one instant.
type gauges struct {
	at     time.Time // by both clocks: without its monotonic reading it is the wall clock's
	cpu    time.Duration
	pauses *metrics.Float64Histogram
}

func gauge() gauges {
	samples := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(samples)
	return gauges{time.Now(), cpuTime(), samples[0].Value.Float64Histogram()}
}

// since fills in what happened after before, which was watched for so long.
func (h *Health) since(before gauges, watched time.Duration) {
	now := gauge()
	if now.cpu >= 0 && before.cpu >= 0 && watched >= leastWatched {
		h.CPUShare = float64(now.cpu-before.cpu) / float64(watched)
	}
	h.ClockDiverged = (now.at.Round(0).Sub(before.at.Round(0)) - now.at.Sub(before.at)).Abs()
	h.GCPauseP999 = atQuantile(before.pauses, now.pauses, 0.999)
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

// cpuTime is the processor time of this process so far, or -1.
func cpuTime() time.Duration {
	mine := process.Process{Pid: int32(os.Getpid())}
	t, err := mine.Times()
	if err != nil {
		return -1
	}
	return time.Duration((t.User + t.System) * float64(time.Second))
}

package load

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// The runtime's histograms that Health reads.
const (
	gcPauses       = "/sched/pauses/total/gc:seconds"
	schedLatencies = "/sched/latencies:seconds"
)

// gauges are counters that only grow, read at one instant.
type gauges struct {
	at           time.Time // both clocks
	cpu          time.Duration
	pauses, runs *metrics.Float64Histogram
}

func gauge() gauges {
	samples := []metrics.Sample{{Name: gcPauses}, {Name: schedLatencies}}
	metrics.Read(samples)
	g := gauges{at: time.Now(), cpu: cpuTime()}
	for i, h := range []**metrics.Float64Histogram{&g.pauses, &g.runs} {
		if samples[i].Value.Kind() == metrics.KindFloat64Histogram {
			*h = samples[i].Value.Float64Histogram()
		}
	}
	return g
}

// since fills in what happened after before.
func (h *Health) since(before gauges) {
	now := gauge()
	h.Cores = runtime.GOMAXPROCS(0)
	h.CPU = -1
	if now.cpu >= 0 && before.cpu >= 0 {
		h.CPU = now.cpu - before.cpu
	}
	h.ClockStep = wallTime(before.at, now.at) - now.at.Sub(before.at)
	pauses := difference(before.pauses, now.pauses)
	for _, n := range pauses.Counts {
		h.GCPauses += n
	}
	h.GCPauseP999, h.GCPauseMax = atQuantile(pauses, 0.999), atQuantile(pauses, 1)
	h.SchedLatencyP99 = atQuantile(difference(before.runs, now.runs), 0.99)
}

// wallTime is the time between two instants by the wall clock.
func wallTime(from, to time.Time) time.Duration { return to.Round(0).Sub(from.Round(0)) }

// difference is what was counted between two readings of a histogram; empty where there are none.
func difference(before, after *metrics.Float64Histogram) metrics.Float64Histogram {
	if before == nil || after == nil || len(before.Counts) != len(after.Counts) {
		return metrics.Float64Histogram{}
	}
	d := metrics.Float64Histogram{Buckets: after.Buckets, Counts: make([]uint64, len(after.Counts))}
	for i, n := range after.Counts {
		d.Counts[i] = n - before.Counts[i]
	}
	return d
}

// atQuantile is the upper bound, in seconds read as a duration, of the bucket that holds the quantile q; 0 of nothing.
func atQuantile(h metrics.Float64Histogram, q float64) time.Duration {
	total := uint64(0)
	for _, n := range h.Counts {
		total += n
	}
	rank := max(1, uint64(math.Ceil(q*float64(total))))
	seen := uint64(0)
	for i, n := range h.Counts {
		if seen += n; n > 0 && seen >= rank {
			bound := h.Buckets[i+1]
			if math.IsInf(bound, 1) {
				bound = h.Buckets[i]
			}
			return time.Duration(bound * float64(time.Second))
		}
	}
	return 0
}

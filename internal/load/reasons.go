package load

import (
	"fmt"
	"time"

	"ratelab/internal/result"
)

// The limits within which a measurement is valid.
const (
	LeastAchieved  = 0.999            // of the intended rate
	MostLag        = time.Millisecond // p99 of the lag; or MostLagShare of the response time's p99, if that is more
	MostLagShare   = 0.2
	MostStall      = 10 * time.Millisecond // of the generator
	MostGCPause    = time.Millisecond      // p99.9
	MostCPUShare   = 0.95                  // of the processors that the generator may use
	MostPoolShare  = 0.001                 // share of requests that waited for a worker without a burst
	MostClockError = time.Millisecond      // between the wall clock and the monotonic one

	MostSilence = 100 * time.Millisecond // of the server, while it was asked and the generator was running
)

// Reasons returns why the measurement is invalid, or nil if it is valid. Where is empty in all of them.
func (r *OpenResult) Reasons() (all []result.Reason) {
	add := func(is bool, code string, lasted time.Duration, format string, args ...any) {
		if is {
			all = append(all, result.Reason{Code: code, Statement: fmt.Sprintf(format, args...),
				LastedUS: lasted.Microseconds()})
		}
	}
	h, d := r.Health, r.Outcomes.Overall()
	add(r.Sent == 0, "nothing", 0,
		"no request is due in the part of the scenario that was played; take another --from or a longer --for")
	add(r.AchievedPerS < LeastAchieved*r.IntendedPerS && r.HandedSpan-r.Span > MostLag, "rate", 0,
		"the generator sent %.1f requests a second of %.1f", r.AchievedPerS, r.IntendedPerS)
	lag := us(d.Lag.ValueAtQuantile(99))
	most := max(MostLag, time.Duration(MostLagShare*float64(us(d.Response.ValueAtQuantile(99)))))
	add(lag > most, "lag", lag, "the generator sent requests late, by %v at the 99th percentile", lag)
	add(h.StallMax > MostStall, "stall", h.StallMax, "the generator stood still for %v", rounded(h.StallMax))
	add(h.GCPauseP999 > MostGCPause, "gc", h.GCPauseP999,
		"the garbage collector stopped the generator for %v at the 99.9th percentile", rounded(h.GCPauseP999))
	add(h.ClockDiverged > MostClockError, "clock", h.ClockDiverged,
		"the wall clock drifted %v from the monotonic clock", rounded(h.ClockDiverged))
	share := h.CPUShare / float64(max(1, r.Cores))
	add(share >= MostCPUShare, "cpu", 0, "the generator used %.0f %% of its %d processors", 100*share, r.Cores)
	add(float64(h.PoolWaits) > MostPoolShare*float64(r.Offered), "pool", 0,
		"%d of %d requests found none of %d connections free; use more connections or a lower rate", h.PoolWaits,
		r.Offered, r.Workers)
	add(h.Overflow > 0, "overflow", 0, "%d durations were longer than %v", h.Overflow, us(result.HighestUS))
	return all
}

// rounded rounds a duration for messages, such as 33.1ms.
func rounded(d time.Duration) time.Duration {
	if d >= 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}

// us converts microseconds to a Duration.
func us(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

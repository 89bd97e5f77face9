package load

import (
	"fmt"
	"math"
	"time"

	"ratelab/internal/result"
)

// ReasonSilence is the code of a server that stood still.
const ReasonSilence = "silence"

// What a run may suffer and still be valid.
const (
	LeastAchieved  = 0.999            // of the intended rate
	MostLag        = time.Millisecond // p99 of the lag, or MostLagShare of the response's p99 if that is more
	MostLagShare   = 0.2
	MostStall      = 10 * time.Millisecond // of the generator
	MostGCPause    = time.Millisecond      // p99.9
	MostCPUShare   = 0.95                  // of the processors that the generator may use
	MostPoolShare  = 0.001                 // of the requests, waiting for a worker though no burst is the reason
	MostClockError = time.Millisecond      // between the wall clock and the monotonic one

	MostSilence = 100 * time.Millisecond // of the server, while it was asked and the generator ran
)

// Reason is why a run's figures cannot be trusted.
type Reason struct {
	Code     string // as in result.Reason
	Sentence string // with the figure and the bound

	// How long what it speaks of lasted and when it began, where it has a length and a beginning: of several the
	// longest is the worst.
	Lasted time.Duration
	At     time.Time
}

// Reasons are why an open loop's figures cannot be trusted; none: they can.
func (r *OpenResult) Reasons() []Reason {
	var all reasons
	all.add(r.AchievedPerS < LeastAchieved*r.IntendedPerS && r.HandedSpan-r.Span > MostLag, "rate",
		"the generator handed over %.1f requests per second of %.1f intended, less than %.1f %%",
		r.AchievedPerS, r.IntendedPerS, 100*LeastAchieved)
	d := r.Outcomes.Overall()
	lagP99 := us(d.Lag.ValueAtQuantile(99))
	most := max(MostLag, time.Duration(MostLagShare*float64(us(d.Response.ValueAtQuantile(99)))))
	all.add(lagP99 > most, "lag",
		"the pacer's lag was %v at the 99th percentile, more than %v (%v, or %.0f %% of the response's if that is "+
			"more)",
		lagP99, most, MostLag, 100*MostLagShare)
	all.add(r.Sent == 0, "nothing", "no request was sent: nothing is due in the part of the scenario that is "+
		"played; another --from or a longer --for plays more of it")
	all.machine(Health{r.Health, r.StalledAt})
	share := r.Health.CPUShare / float64(r.Cores)
	all.add(share >= MostCPUShare, "cpu",
		"the generator took %.1f %% of the time of its %d processors, %.0f %% or more",
		100*share, r.Cores, 100*MostCPUShare)
	all.add(float64(r.Health.PoolWaits) > MostPoolShare*float64(r.Offered), "pool",
		"%d of %d requests found none of %d connections free although no burst was the reason, more than %.1f %%; "+
			"use more connections or a lower rate",
		r.Health.PoolWaits, r.Offered, r.Workers, 100*MostPoolShare)
	all.overflow(r.Health.Overflow)
	return all
}

// Reasons are why a closed loop's figures cannot be trusted. It saturates processors by design, its own among them,
// and nothing in it is due: there is no cpu, lag, rate, pool or drops.
func (r *ClosedResult) Reasons() []Reason {
	var all reasons
	all.machine(r.Health)
	all.overflow(r.Health.Overflow)
	return all
}

type reasons []Reason

// add names a reason if it is one.
func (all *reasons) add(is bool, code, format string, args ...any) {
	if is {
		*all = append(*all, Reason{Code: code, Sentence: fmt.Sprintf(format, args...)})
	}
}

// machine names what stopped the generator, whatever it was doing.
func (all *reasons) machine(h Health) {
	if stall := lasting(h.StallMaxUS); stall > MostStall {
		sentence := fmt.Sprintf("the generator stood still for %v, more than %v", stall.Round(time.Microsecond),
			MostStall)
		*all = append(*all, Reason{"stall", sentence, stall, h.StalledAt})
	}
	pause, step := lasting(h.GCPauseP999US), lasting(h.ClockDivergedUS)
	all.add(pause > MostGCPause, "gc",
		"the garbage collector stopped the generator for %v at the 99.9th percentile, more than %v",
		pause.Round(time.Microsecond), MostGCPause)
	all.add(step > MostClockError, "clock", "the wall clock went %v apart from the monotonic clock, more than %v",
		step.Round(time.Microsecond), MostClockError)
}

// overflow names durations that no histogram has.
func (all *reasons) overflow(n int64) {
	all.add(n > 0, "overflow", "%d durations were longer than %v, which is as far as the histograms go", n,
		us(result.HighestUS))
}

// lasting is a duration of so many microseconds.
func lasting(us float64) time.Duration { return time.Duration(math.Round(us * 1000)) }

// us is a number of microseconds.
func us(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

package load

import (
	"fmt"
	"time"
)

// The codes of Reasons, which do not change.
const (
	ReasonDrops    = "drops"
	ReasonRate     = "rate"
	ReasonLag      = "lag"
	ReasonStall    = "stall"
	ReasonGC       = "gc"
	ReasonCPU      = "cpu"
	ReasonPool     = "pool"
	ReasonOverflow = "overflow"
	ReasonClock    = "clock"
	ReasonSilence  = "silence"
	ReasonNothing  = "nothing"
)

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
	Code     string // one of Reason…
	Sentence string // with the figure and the bound

	// How long what it speaks of lasted and when it began, where it has a length and a beginning: of several the
	// longest is the worst.
	Lasted time.Duration
	At     time.Time
}

// Reason is why s makes figures worthless.
func (s Silence) Reason() Reason {
	sentence := fmt.Sprintf("the server was silent for %v, more than %v", s.Lasted.Round(time.Millisecond), MostSilence)
	return Reason{ReasonSilence, sentence, s.Lasted, s.At}
}

// Reasons are why an open loop's figures cannot be trusted; none: they can.
func (r *OpenResult) Reasons() []Reason {
	var all reasons
	mayDrop := int64(0)
	if r.OnLate == LateDrop {
		mayDrop = r.Dropped - r.Spilled
	}
	all.add(r.Dropped > mayDrop, ReasonDrops, "%d of %d requests were dropped, and on_late: %s lets %d of them be",
		r.Dropped, r.Offered, r.OnLate, mayDrop)
	all.add(r.AchievedPerSecond < LeastAchieved*r.IntendedPerSecond && r.HandedSpan-r.Span > MostLag, ReasonRate,
		"the generator handed over %.1f requests per second of %.1f intended, less than %.1f %%",
		r.AchievedPerSecond, r.IntendedPerSecond, 100*LeastAchieved)
	d := r.Overall()
	lagP99, most := us(d.Lag.ValueAtQuantile(99)), MostLag
	if share := time.Duration(MostLagShare * float64(us(d.Response.ValueAtQuantile(99)))); share > most {
		most = share
	}
	all.add(lagP99 > most, ReasonLag,
		"the pacer's lag was %v at the 99th percentile, more than %v (%v, or %.0f %% of the response's if that "+
			"is more)",
		lagP99, most, MostLag, 100*MostLagShare)
	all.add(r.Sent == 0, ReasonNothing, "no request was sent: nothing is due in the part of the scenario that is "+
		"played; "+
		"another --from or a longer --for plays more of it")
	all.machine(r.Health)
	all.silence(r.Silence)
	all.add(r.Health.CPUShare() >= MostCPUShare, ReasonCPU,
		"the generator took %.1f %% of the time of its %d processors, %.0f %% or more",
		100*r.Health.CPUShare(), r.Health.Cores, 100*MostCPUShare)
	all.add(float64(r.PoolWaits) > MostPoolShare*float64(r.Offered), ReasonPool,
		"%d of %d requests found none of %d connections free although no burst was the reason, more than %.1f %%; "+
			"use more connections or a lower rate",
		r.PoolWaits, r.Offered, r.Workers, 100*MostPoolShare)
	all.overflow(r.Overflow)
	return all
}

// Reasons are why a closed loop's figures cannot be trusted. It saturates processors by design, its own among them,
// and nothing in it is due: there is no cpu, lag, rate, pool or drops.
func (r *ClosedResult) Reasons() []Reason {
	var all reasons
	all.machine(r.Health)
	all.silence(r.Silence)
	all.overflow(r.Overflow)
	return all
}

type reasons []Reason

// add names a reason if it is one.
func (all *reasons) add(is bool, code, format string, args ...any) {
	if is {
		*all = append(*all, Reason{Code: code, Sentence: fmt.Sprintf(format, args...)})
	}
}

// silence names the server's.
func (all *reasons) silence(s Silence) {
	if s.Lasted > 0 {
		*all = append(*all, s.Reason())
	}
}

// machine names what stopped the generator, whatever it was doing.
func (all *reasons) machine(h Health) {
	if h.LongestStall > MostStall {
		sentence := fmt.Sprintf("the generator stood still for %v, more than %v",
			h.LongestStall.Round(time.Microsecond), MostStall)
		*all = append(*all, Reason{ReasonStall, sentence, h.LongestStall, h.StalledAt})
	}
	all.add(h.GCPauseP999 > MostGCPause, ReasonGC,
		"the garbage collector stopped the generator for %v at the 99.9th percentile, more than %v",
		h.GCPauseP999.Round(time.Microsecond), MostGCPause)
	all.add(h.ClockStep.Abs() > MostClockError, ReasonClock,
		"the wall clock went %v apart from the monotonic clock, more than %v",
		h.ClockStep.Round(time.Microsecond), MostClockError)
}

// overflow names durations that no histogram has.
func (all *reasons) overflow(n int64) {
	all.add(n > 0, ReasonOverflow, "%d durations were longer than %v, which is as far as the histograms go", n,
		us(MostUS))
}

// us is a number of microseconds.
func us(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

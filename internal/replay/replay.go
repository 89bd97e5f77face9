// Package replay sends one stream of requests past any number of limiters at once, in virtual time, and measures
// what each decides. The stream is read once, in batches that every lane shares, so that a trace of any length is
// parsed once and memory grows with the keys that live, not with the requests.
package replay

import (
	"context"
	"fmt"
	"iter"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// Clock is the wall clock, as an argument. Sleep ends early with the context's error.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// Traffic is where the requests come from.
type Traffic interface {
	Requests() iter.Seq2[limit.Request, error]
	// Duration is known beforehand, or after Requests is exhausted.
	Duration() (d time.Duration, known bool)
}

// Lane is one limiter beside the others.
type Lane struct {
	Label   string
	Decider Decider
	// Observe, where it is not nil, sees every batch after it was decided, in order, from one goroutine.
	Observe func([]limit.Request, []limit.Decision) error
	// Counts: what remains is what the limit leaves of a count, so that its rate difference can be measured.
	Counts bool
	// Another is a limiter like Decider that has seen nothing, which keys that share nothing with those of Decider may
	// have; nil: there is none, or the keys do not stand alone. A lane with Observe needs its requests in one order,
	// and has none.
	Another func() Decider
}

// Options steer a replay; the zero value will do.
type Options struct {
	Stop     <-chan struct{} // closed: end early, after what has been read so far, and mark the outcome partial
	Progress func(requests int64)
	Batch    int // requests per batch; 0: a good size
	// µs from the start that all series reach at least, so that those of several replays are of one length
	Reach    int64
	Scales   []int64 // lengths of intervals for MostAdmitted, in µs, ascending; nil: not measured
	Fairness bool    // measure it
	// Sources is over how many goroutines the keys are shared out at most, where there are requests enough and every
	// lane has Another; 0 stands for 1. It changes no figure.
	Sources   int
	ShareFrom int // from so many requests on; 0: where it pays
}

// Outcome is what a replay found.
type Outcome struct {
	Duration        time.Duration
	Keys            int64
	LastUS          int64 // the time of the last request
	LargestCost     int64 // of any request
	Partial         bool
	Traffic         measure.Traffic
	Reference       measure.Result
	ReferenceSeries measure.Series
	Lanes           []LaneOutcome // in the order of the lanes
}

// LaneOutcome is what one lane's limiter did.
type LaneOutcome struct {
	Result measure.Result
	Series measure.Series

	MostAdmitted   []int64           // for each of Options.Scales
	Shaping        *measure.Shaping  // nil: nothing was delayed
	Fairness       *measure.Fairness // nil: not asked for, or what Account.Fairness says
	RateDifference *float64          // nil: not a lane that counts, or nothing was ever in use
}

// InputError is input that cannot be used: a log that cannot be read to its end, or a script that does not compile,
// does what virtual time cannot follow, or failed on trial.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// Invalid is an *InputError in words.
func Invalid(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// Run replays traffic under policy p past the lanes. The error is an *InputError about the traffic, names a lane, or is
// the context's; there is no outcome then.
func Run(ctx context.Context, traffic Traffic, p limit.Policy, lanes []Lane, o Options) (*Outcome, error) {
	part, err := RunPart(ctx, traffic, p, lanes, o)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(lanes))
	for i, lane := range lanes {
		labels[i] = lane.Label
	}
	return part.Outcome(p, labels)
}

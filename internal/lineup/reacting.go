package lineup

import (
	"context"
	"iter"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// OneByOne is a clients.Server on which a script decides one request at a time.
type OneByOne struct{ Decider replay.Decider }

// Serve decides q; any message will do.
func (o OneByOne) Serve(ctx context.Context, q limit.Request, _ any) (any, error) {
	decisions := make([]limit.Decision, 1)
	if err := o.Decider.Decide(ctx, []limit.Request{q}, decisions); err != nil {
		return nil, err
	}
	return decisions[0], nil
}

// Recorded is a journal as the traffic of a replay, of the run's duration. As with the traffic that the clients began
// with, it is foreseen, or known only at the end: series are cut into equal buckets then.
type Recorded struct {
	clients.Journal
	Lasts    time.Duration
	Foreseen bool
}

// Requests are the journal's.
func (r *Recorded) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range r.Journal.Requests {
			if !yield(q, nil) {
				return
			}
		}
		r.Foreseen = true
	}
}

// Duration is the run's.
func (r *Recorded) Duration() (time.Duration, bool) {
	if !r.Foreseen {
		return 0, false
	}
	return r.Lasts, true
}

// FromJournal decides as a journal says, in its order.
type FromJournal struct{ Decisions []limit.Decision }

// Decide never fails.
func (f *FromJournal) Decide(_ context.Context, _ []limit.Request, decisions []limit.Decision) error {
	n := copy(decisions, f.Decisions)
	f.Decisions = f.Decisions[n:]
	return nil
}

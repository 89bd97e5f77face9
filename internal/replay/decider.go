package replay

import (
	"context"
	"time"

	"ratelab/internal/limit"
)

// Decider decides requests in order. decisions has the length of requests. After an error, the decisions are invalid.
// After message.ErrInterrupted, the row's figures cover the earlier batches.
type Decider interface {
	Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error
}

// Model is a Decider that asks a Go model.
type Model struct {
	limiter limit.Model
	startUS int64
}

// NewModel returns a Model in which AtUS counts from start.
func NewModel(limiter limit.Model, start time.Time) *Model {
	return &Model{limiter, start.UnixMicro()}
}

// Decide never returns an error.
func (m *Model) Decide(_ context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i := range requests {
		decisions[i] = limit.Ask(m.limiter, m.startUS, &requests[i])
	}
	return nil
}

// Recorded repeats earlier decisions in the same order.
type Recorded struct{ Decisions []limit.Decision }

// Decide never returns an error.
func (r *Recorded) Decide(_ context.Context, _ []limit.Request, decisions []limit.Decision) error {
	n := copy(decisions, r.Decisions)
	r.Decisions = r.Decisions[n:]
	return nil
}

// unreachable is a Decider whose server cannot be reached during outages.
type unreachable struct {
	Decider
	outages []limit.Outage // sorted: the current one and later ones
}

// Unreachable returns a Decider with outages. During an outage, requests get the verdict Unavailable, and d does not
// receive them. The outages must be in order and must not overlap.
func Unreachable(d Decider, outages []limit.Outage) Decider {
	if len(outages) == 0 {
		return d
	}
	return &unreachable{d, outages}
}

func (u *unreachable) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for len(requests) > 0 {
		n := 0
		for ; n < len(requests) && u.reaches(requests[n].AtUS); n++ {
		}
		if n == 0 {
			decisions[0], n = limit.Decision{Verdict: limit.Unavailable}, 1
		} else if err := u.Decider.Decide(ctx, requests[:n], decisions[:n]); err != nil {
			return err
		}
		requests, decisions = requests[n:], decisions[n:]
	}
	return nil
}

// reaches reports whether a request reaches the server. Times must not decrease.
func (u *unreachable) reaches(atUS int64) bool {
	for len(u.outages) > 0 && u.outages[0].UntilUS <= atUS {
		u.outages = u.outages[1:]
	}
	return len(u.outages) == 0 || atUS < u.outages[0].FromUS
}

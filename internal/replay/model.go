package replay

import (
	"context"
	"errors"
	"time"

	"ratelab/internal/limit"
)

// Model lets a plain Go limiter decide: no server at all.
type Model struct {
	limiter limit.Limiter
	clocked limit.TwoClocked // the same, where it can tell the clocks; else nil
	startUS int64
}

// NewModel is limiter under a clock that begins at start.
func NewModel(limiter limit.Limiter, start time.Time) *Model {
	clocked, _ := limiter.(limit.TwoClocked)
	return &Model{limiter, clocked, start.UnixMicro()}
}

// Decide fails only where clocks are off and the limiter knows but one.
func (m *Model) Decide(_ context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i := range requests {
		q := &requests[i]
		atUS := m.startUS + q.AtUS
		switch {
		case !q.Skewed():
			decisions[i] = m.limiter.Decide(atUS, q.Key, q.Cost)
		case m.clocked == nil:
			return errors.New("the clocks disagree, and the limiter knows but one")
		default:
			decisions[i] = m.clocked.DecideAt(atUS+q.ServerSkewUS, atUS+q.ClientSkewUS, q.Key, q.Cost)
		}
	}
	return nil
}

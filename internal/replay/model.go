package replay

import (
	"context"
	"time"

	"ratelab/internal/limit"
)

// Model lets a plain Go limiter decide: no server at all.
type Model struct {
	limiter limit.Limiter
	startUS int64
}

// NewModel is limiter under a clock that begins at start.
func NewModel(limiter limit.Limiter, start time.Time) *Model {
	return &Model{limiter, start.UnixMicro()}
}

// Decide never fails.
func (m *Model) Decide(_ context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i, q := range requests {
		decisions[i] = m.limiter.Decide(m.startUS+q.AtUS, q.Key, q.Cost)
	}
	return nil
}

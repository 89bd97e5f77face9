package bench

import (
	"context"
	"fmt"
	"time"

	"ratelab/internal/counting"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/run"
)

// bytesLimit is the limit under which bytes are counted: no permit comes back meanwhile.
var bytesLimit = limit.Policy{Requests: 100, Window: time.Hour}

// bytesKeys is how many keys are used up, and then rejected as often.
const bytesKeys = 10

// countBytes counts the bytes of a call on one connection, one call after the other: as many are admitted as rejected,
// so that the figures are the same on every run.
func (s *session) countBytes(ctx context.Context, l *run.Limiter) (*counting.Bytes, error) {
	if s.stopped() {
		return nil, message.ErrStopped
	}
	g, err := s.segment(ctx, l)
	if err != nil {
		return nil, err
	}
	b, err := g.countBytes(ctx)
	return b, g.end(ctx, err)
}

func (g *segment) countBytes(ctx context.Context) (*counting.Bytes, error) {
	var keys []string
	for i := range bytesKeys {
		keys = append(keys, fmt.Sprintf("client-%d", i))
	}
	if _, err := g.connection.Call(limit.Request{Key: "first", Cost: 1}); err != nil {
		return nil, err
	}
	if err := g.target.Introduce(ctx, keys); err != nil {
		return nil, err
	}
	written, err := g.server.Replicate(ctx, g.prefix+"replicated")
	if err != nil {
		return nil, err
	}
	defer written.Close()
	before, err := written.Bytes(ctx)
	calls, in, out := 2*bytesLimit.Capacity(), 0, 0
	for _, key := range keys {
		for n := int64(0); n < calls && err == nil; n++ {
			var o load.Outcome
			o, err = g.connection.Call(limit.Request{Key: key, Cost: 1})
			in, out = in+o.BytesWritten, out+o.BytesRead
		}
	}
	if err != nil {
		return nil, err
	}
	after, err := written.Bytes(ctx)
	n := float64(calls * bytesKeys)
	return &counting.Bytes{Sent: float64(in) / n, Received: float64(out) / n,
		Replicated: float64(after-before) / n}, err
}

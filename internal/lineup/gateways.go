package lineup

import (
	"context"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// Balanced lets inner decide, each request on the entry's gateway whose turn it is: under the name by which that counts
// the client. Where the entry has no gateways it is inner itself.
func (e *Entry) Balanced(inner replay.Decider) replay.Decider {
	if e.Gateways == nil {
		return inner
	}
	return &balanced{inner: inner, turns: e.Gateways.Turns()}
}

// Route gives the name under which each request's client is counted, in the order in which they come to the balancer,
// which has handed on so many before.
func (e *Entry) Route(before uint64) func(key string) string {
	if e.Gateways == nil {
		return func(key string) string { return key }
	}
	turns := e.Gateways.TurnsAfter(before)
	return turns.Next
}

// balanced is a load balancer before a Decider.
type balanced struct {
	inner    replay.Decider
	turns    algorithms.Turns
	requests []limit.Request // as the nodes see them
}

// Decide gives inner's errors.
func (b *balanced) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	b.requests = append(b.requests[:0], requests...)
	for i := range b.requests {
		b.requests[i].Key = b.turns.Next(b.requests[i].Key)
	}
	return b.inner.Decide(ctx, b.requests, decisions)
}

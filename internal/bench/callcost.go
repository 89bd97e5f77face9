package bench

import (
	"context"
	"math"

	"ratelab/internal/benchresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/serverstats"
)

// callCost is what a call takes of the network and of the client's heap.
type callCost struct {
	in, out, allocations float64
	replicated           *float64 // what goes to a replica; nil where the server is not ours alone
}

// takenStretches are so many stretches of the half mix: enough for allocations that come with a new key, or with a
// goroutine of the runtime's, to vanish.
const takenStretches = 10

// countCall counts bytes and allocations in a loop of its own: one connection, one call after the other, always the
// same number admitted and rejected. Under load both depend on how many calls were admitted, which is not the same from
// run to run, and on what else the generator does. The allocations are rounded down, as testing.AllocsPerRun's are.
func (s *session) countCall(ctx context.Context, c *lineup.Entry) (*callCost, error) {
	if s.stopped() {
		return nil, errStopped
	}
	g, err := s.segment(ctx, c, 1)
	if err != nil {
		return nil, err
	}
	t, err := g.countCall(ctx)
	return t, g.end(ctx, err)
}

func (g *segment) countCall(ctx context.Context) (*callCost, error) {
	mixed, err := g.mixers(ctx, benchresult.MixHalf)
	if err != nil {
		return nil, err
	}
	caller, calls := mixed[0], takenStretches*stretch(benchresult.MixHalf)
	if _, err = caller.Call(ctx, limit.Request{}); err == nil {
		err = g.introduce(ctx, mixed, 2*calls)
	}
	if err != nil {
		return nil, err
	}
	replicated, err := g.replicated(ctx, calls, func() error {
		for range calls {
			if _, err := caller.Call(ctx, limit.Request{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var in, out int
	before := allocated()
	for range calls {
		o, err := caller.Call(ctx, limit.Request{})
		if err != nil {
			return nil, err
		}
		in, out = in+o.BytesWritten, out+o.BytesRead
	}
	n := float64(calls)
	return &callCost{float64(in) / n, float64(out) / n, math.Floor(float64(allocated()-before) / n), replicated}, nil
}

// replicated is how many bytes a replica would get of each of so many calls. They are calls of their own: the client's
// allocations are counted without the questions about it.
func (g *segment) replicated(ctx context.Context, calls int, f func() error) (each *float64, err error) {
	if g.written == nil {
		g.written, err = serverstats.Replicate(ctx, g.server, g.prefix+"replicated")
	}
	if g.written == nil || err != nil {
		return nil, err
	}
	before, err := g.written.Bytes(ctx)
	if err == nil {
		err = f()
	}
	if err != nil {
		return nil, err
	}
	after, err := g.written.Bytes(ctx)
	return pointer(float64(after-before) / float64(calls)), err
}

// record adds what a call takes to w.
func (t *callCost) record(w *benchresult.Work) {
	if t != nil {
		w.NetInPerDecision, w.NetOutPerDecision, w.AllocationsPerCall = &t.in, &t.out, &t.allocations
		w.ReplicatedPerDecision = t.replicated
	}
}

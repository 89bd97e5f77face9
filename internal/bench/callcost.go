package bench

import (
	"context"
	"math"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// takenStretches are so many stretches of the half mix: enough for allocations that come with a new key, or with a
// goroutine of the runtime's, to vanish.
const takenStretches = 10

// countCall counts bytes and allocations in a loop of its own: one connection, one call after the other, always the
// same number admitted and rejected. Under load both depend on how many calls were admitted, which is not the same from
// run to run, and on what else the generator does. The allocations are rounded down, as testing.AllocsPerRun's are.
func (s *session) countCall(ctx context.Context, c *run.Limiter) (*result.Work, error) {
	if s.stopped() {
		return nil, message.ErrStopped
	}
	g, err := s.segment(ctx, c, 1)
	if err != nil {
		return nil, err
	}
	t, err := g.countCall(ctx)
	return t, g.end(ctx, err)
}

func (g *segment) countCall(ctx context.Context) (*result.Work, error) {
	mixed, err := g.mixers(result.MixHalf)
	if err != nil {
		return nil, err
	}
	caller, calls := mixed[0], takenStretches*stretch(result.MixHalf)
	if _, err = caller.Call(limit.Request{}); err == nil {
		err = g.introduce(ctx, mixed, 2*calls)
	}
	if err != nil {
		return nil, err
	}
	var in, out int
	ask := func() error {
		in, out = 0, 0
		for range calls {
			o, err := caller.Call(limit.Request{})
			if err != nil {
				return err
			}
			in, out = in+o.BytesWritten, out+o.BytesRead
		}
		return nil
	}
	w, n := &result.Work{}, float64(calls)
	if w.ReplicatedPerDecision, err = g.replicated(ctx, n, ask); err != nil {
		return nil, err
	}
	before := allocated()
	err = ask()
	w.AllocationsPerCall = new(math.Floor(float64(allocated()-before) / n))
	w.NetInPerDecision, w.NetOutPerDecision = new(float64(in)/n), new(float64(out)/n)
	return w, err
}

// replicated is how many bytes a replica would get of each of so many calls. They are calls of their own: the client's
// allocations are counted without the questions about it.
func (g *segment) replicated(ctx context.Context, calls float64, f func() error) (each *float64, err error) {
	if g.written == nil {
		g.written, err = g.server.Replicate(ctx, g.prefix+"replicated")
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
	return new(float64(after-before) / calls), err
}

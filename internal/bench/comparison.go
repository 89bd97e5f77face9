package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"ratelab/internal/counting"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Comparison counts everything that two scripts do: decisions, commands, bytes and instructions. Sides and the clock
// are required.
type Comparison struct {
	Sides [2]*limiter.Spec // base and head
	// their decisions must be the same; nil: the built-in ones without reacting clients
	Scenarios []*scenario.Scenario
	// process or container, with a program or an image; "": a container if Docker works, else a process
	Server string

	WithoutInstructions bool          // count everything else
	States              []string      // the states of a key in which instructions are counted; nil: all
	Within              time.Duration // as in counting.Job

	replay.Clock

	Progress Progress // may be nil
}

// comparing is a comparison with all names resolved.
type comparing struct {
	*Comparison
	bytes   [2]*limiter.Limiter // under bytesLimit
	plans   []*run.Plan         // by scenario, with the rows base and head
	leftOut []string            // built-in scenarios that neither side can play
	limits  []limit.Policy      // for counting instructions; countLimit is the first
}

// plan resolves the names. The error is a *replay.InputError with all mistakes.
func (c *Comparison) plan() (*comparing, error) {
	p := &comparing{Comparison: c}
	var wrong run.Problems
	counting.CheckServer(c.Server, &wrong)
	for i, side := range c.Sides {
		if side.Choice != nil {
			checkOneGateway(*side.Choice, &wrong)
		}
		var err error
		if p.bytes[i], err = side.At(bytesLimit); err != nil {
			wrong.Bad(err)
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	var err error
	if p.plans, p.leftOut, err = (&run.Ask{Scenarios: c.Scenarios}).Pair(c.Sides[0], c.Sides[1],
		[]limit.Policy{countLimit}); err != nil {
		wrong.Bad(err)
	}
	p.limits = []limit.Policy{countLimit}
	for _, s := range c.Scenarios {
		if !slices.Contains(p.limits, s.Limit) {
			p.limits = append(p.limits, s.Limit)
		}
	}
	return p, wrong.Err()
}

// countLimit is the limit under which instructions are always counted. Counting under it takes about half a minute.
var countLimit = limit.Policy{Requests: 10, Window: time.Second}

// Run counts until ctx is interrupted. Errors are a *replay.InputError, a *counting.Missing if instructions cannot be
// counted, message.ErrInterrupted, and errors of the server.
func (c *Comparison) Run(ctx context.Context) (*result.Document, error) {
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	if !c.WithoutInstructions {
		if _, err := counting.Version(ctx); err != nil {
			return nil, err
		}
	}
	s, err := begin(ctx, c.Server, 2, c.Clock)
	if err != nil {
		return nil, err
	}
	call := context.WithoutCancel(ctx)
	report, err := p.on(call, s)
	err = s.close(call, err)
	if report != nil {
		report.Notes = append(report.Notes, p.leftOut...)
	}
	return report, err
}

// on counts both sides on a server.
func (p *comparing) on(ctx context.Context, s *session) (*result.Document, error) {
	sides, runs, err := p.count(ctx, s)
	if err != nil {
		return nil, err
	}
	var counted *counting.Counted
	if !p.WithoutInstructions {
		j := &counting.Job{Limiters: p.Sides[:], Limits: p.limits, States: p.States, Within: p.Within,
			Server: cmp.Or(s.spec, s.server.Kind), Clock: p.Clock, Progress: p.Progress}
		if counted, err = j.Run(s.ctx); err != nil {
			return nil, err
		}
	}
	return counting.Of(sides[0], sides[1], runs, counted, s.server.String()), nil
}

// count decides the scenarios on both sides in virtual time, and counts the work of the calls.
func (p *comparing) count(ctx context.Context, s *session) (sides [2]*counting.Side, runs []*result.Run, err error) {
	for i, plan := range p.plans {
		if p.Progress != nil {
			p.Progress(plan.Scenario.Name+" in virtual time", i, len(p.plans))
		}
		found, err := s.decide(plan)
		if err != nil {
			return sides, nil, err
		}
		runs = append(runs, found)
	}
	for i := range sides {
		var rows []*result.Row
		for _, r := range runs {
			rows = append(rows, &r.Results[i])
		}
		call, err := s.countBytes(ctx, p.bytes[i])
		if err != nil {
			return sides, nil, err
		}
		sides[i] = &counting.Side{Name: p.Sides[i].Name, Label: p.bytes[i].Label, Figures: together(rows), Bytes: *call}
	}
	return sides, runs, nil
}

// together returns the work of the decisions of all rows together.
func together(rows []*result.Row) (all measure.Figures) {
	offered := func(r *result.Row) int64 { return r.Offered }
	keys := func(r *result.Row) int64 { return *r.KeysLeft }
	all.KeysLeft, all.KeysWithoutTTL = new(int64), new(int64)
	for _, r := range rows {
		*all.KeysLeft += *r.KeysLeft
		*all.KeysWithoutTTL += *r.KeysWithoutTTL
	}
	all.Commands = mean(rows, offered, func(r *result.Row) *float64 { return r.Commands })
	all.BytesPerKey = mean(rows, keys, func(r *result.Row) *float64 { return r.BytesPerKey })
	return all
}

// mean returns the mean of a figure over all rows, weighted by of, or nil if no row has the figure. The sums are
// integers: calls, or bytes.
func mean(rows []*result.Row, of func(*result.Row) int64, figure func(*result.Row) *float64) *float64 {
	var sum float64
	var n int64
	for _, r := range rows {
		if each := figure(r); each != nil {
			sum += math.Round(*each * float64(of(r)))
			n += of(r)
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}

// bytesLimit is the limit under which bytes are counted. Its window is long, so that no tokens come back meanwhile.
var bytesLimit = limit.Policy{Requests: 100, Window: time.Hour}

// bytesKeys is the number of keys that are used up and then rejected equally often.
const bytesKeys = 10

// countBytes counts the bytes of a call on one connection, one call after the other. As many calls are admitted as
// rejected, so that the figures are the same on every run.
func (s *session) countBytes(ctx context.Context, l *limiter.Limiter) (*counting.Bytes, error) {
	if s.stopped() {
		return nil, message.ErrInterrupted
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

package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/host"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// decideScenario decides what is played of a scenario, and keeps each decision.
func (s *session) decideScenario(ctx context.Context, p *playPlan) (err error) {
	keep := func(_, label string) (observer, error) {
		at := slices.IndexFunc(p.rows, func(r *row) bool { return r.Algorithm == label })
		if at < 0 { // clients that remember are not played
			return nil, nil
		}
		row := p.rows[at]
		return func(_ []limit.Request, decisions []limit.Decision) error {
			for _, d := range decisions {
				row.verdicts = append(row.verdicts, d.Verdict)
			}
			return nil
		}, nil
	}
	p.virtual, err = s.decide(ctx, &p.Plan, keep)
	return err
}

// observer sees what a row decides, batch by batch.
type observer = func([]limit.Request, []limit.Decision) error

// decide decides a plan in virtual time on the server that is measured, and deletes what the scripts leave. The error
// is message.ErrStopped if the job was told to stop.
func (s *session) decide(ctx context.Context, p *run.Plan, watch func(scenario, label string) (observer, error)) (
	*result.Run, error) {
	server := &host.Server{Spec: s.spec, Running: s.server, Clock: s.wall, Stop: s.stop}
	ask := run.Ask{Server: server, Stop: s.stop, Watch: watch}
	found, err := ask.PlayOne(ctx, p)
	if err == nil && found.Partial {
		err = message.ErrStopped
	}
	return found, err
}

// rehearseLoops plays the closed loops of users' scripts on a private server, before they are played on a given one:
// they come to more requests than the scenario has.
func (r *measuring) rehearseLoops(ctx context.Context) (err error) {
	for _, c := range r.plan.costs {
		if r.server.Own || !c.Program.Foreign {
			continue
		}
		private := *r.session
		if private.server, err = redis.StartPrivate(ctx, r.spec, r.server.Prefix, redis.ScriptMemory); err != nil {
			return err
		}
		for _, mix := range result.Mixes() {
			if err == nil {
				err = private.warm(ctx, c, saturation{mix: mix, connections: r.mostConnections(),
					warmUp: r.WarmUp + r.Segment})
			}
		}
		if err != nil && !errors.Is(err, message.ErrStopped) && ctx.Err() == nil {
			err = &replay.InputError{Err: fmt.Errorf("%s: in a closed loop on a private server: %v", c.File, err)}
		}
		if err != nil {
			private.server.Abandon() // it may hang in the script
			return err
		}
		if err = private.server.Close(); err != nil {
			return err
		}
	}
	return nil
}

// together is what the decisions of all the rows took.
func together(rows []*result.Row) (all measure.Figures) {
	offered := func(r *result.Row) int64 { return r.Offered }
	keys := func(r *result.Row) int64 { return *r.KeysLeft }
	all.KeysLeft, all.KeysWithoutTTL = new(int64), new(int64)
	for _, r := range rows {
		*all.KeysLeft += *r.KeysLeft
		*all.KeysWithoutTTL += *r.KeysWithoutTTL
	}
	all.Commands = mean(rows, offered, func(r *result.Row) *float64 { return r.Commands })
	all.RoundTrips = mean(rows, offered, func(r *result.Row) *float64 { return r.RoundTrips })
	all.BytesPerKey = mean(rows, keys, func(r *result.Row) *float64 { return r.BytesPerKey })
	return all
}

// mean is that of a figure of the rows, each of which has it of so many; nil where none has. The sums are whole
// numbers: calls, or bytes.
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

// fill lets one client make n requests, spread evenly over a window of fillLimit, and looks at the memory.
func (s *session) fill(ctx context.Context, l *run.Limiter, n int64) (result.Fill, error) {
	requests := make([]limit.Request, n)
	for i := range n {
		requests[i] = limit.Request{AtUS: i * fillLimit.WindowUS() / n, Key: fillKey(l.Label), Cost: 1}
	}
	p := &run.Plan{Scenario: &scenario.Scenario{Name: "fill", Start: scenario.DefaultStart}, Policy: fillLimit,
		Limiters: []*run.Limiter{l},
		Stream:   traffic.List(requests, fillLimit.Window, true)}
	found, err := s.decide(ctx, p, nil)
	if err != nil {
		return result.Fill{}, err
	}
	row := &found.Results[0]
	if row.Rejected > 0 { // its memory is that of fewer entries
		s.note(fmt.Sprintf("%s: of the memory fill's %d requests %d were rejected, under the limit %v", l.Label, n,
			row.Rejected, fillLimit))
	}
	fill := result.Fill{Entries: n, Keys: *row.KeysLeft}
	if row.BytesPerKey != nil {
		fill.Bytes = int64(math.Round(*row.BytesPerKey * float64(fill.Keys)))
	}
	return fill, nil
}

// fillNameLength is the length of a label and a client's name together in a memory fill, unless the label alone is as
// long: a key's name is part of its memory, and an algorithm with a long one is not to pay for that.
const fillNameLength = 40

func fillKey(label string) string {
	return "client" + strings.Repeat("-", max(0, fillNameLength-len("client")-len(label)))
}

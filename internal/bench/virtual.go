package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// virtualResult is what an entry does with a scenario in virtual time.
type virtualResult struct {
	result measure.Result
	spent  run.Spent
	// verdicts on what is played; nil where nothing is, and where clients react: each play has requests of its own
	verdicts []limit.Verdict
}

// decide replays the traffic past the entries in virtual time, on the server that the scenario's rows are measured on,
// and counts what the decisions take. It deletes what the scripts leave.
func (s *session) decide(ctx context.Context, p *contest) ([]virtualResult, error) {
	var rows []*run.Virtual
	var lanes []replay.Lane
	verdicts := make([][]limit.Verdict, len(p.Limiters))
	for i, e := range p.Limiters {
		v, err := e.On(ctx, s.server, run.Times{Start: p.Scenario.Start, Stop: s.stop}, s.clock())
		if err != nil {
			return nil, err
		}
		lane := replay.Lane{Label: e.Label, Decider: v}
		if p.part != nil && !p.Scenario.Reactive() {
			lane.Observe = func(_ []limit.Request, decisions []limit.Decision) error {
				for _, d := range decisions {
					verdicts[i] = append(verdicts[i], d.Verdict)
				}
				return nil
			}
		}
		rows, lanes = append(rows, v), append(lanes, lane)
	}
	found, err := s.replayed(ctx, p, rows, lanes)
	for i := range found {
		found[i].verdicts = verdicts[i]
	}
	for _, v := range rows {
		if err == nil { // or it is left to the session's end
			err = v.Close(context.WithoutCancel(ctx))
		}
	}
	return found, err
}

// rehearse has the users' scripts decide the traffic on a private server before they do on a given one: nothing ends a
// script there that loops once it has written.
func (s *session) rehearse(ctx context.Context, p *contest) error {
	only := *p
	only.Limiters = slices.DeleteFunc(slices.Clone(p.Limiters), func(e *run.Limiter) bool { return !e.Program.Foreign })
	if s.server.Own || len(only.Limiters) == 0 {
		return nil
	}
	private := *s
	var err error
	if private.server, err = run.PrivateServer(ctx, s.spec, s.server.Prefix, run.ScriptMemory); err != nil {
		return err
	}
	if _, err = private.decide(ctx, &only); err != nil {
		private.server.Abandon() // it may hang in the script
	}
	return cmp.Or(err, private.server.Close())
}

// rehearseLoops plays the closed loops of users' scripts on a private server, before they are played on a given one:
// they come to more requests than the scenario has.
func (r *measuring) rehearseLoops(ctx context.Context) error {
	if r.server.Own {
		return nil
	}
	for _, c := range r.plan.costs {
		if !c.Program.Foreign {
			continue
		}
		private := *r.session
		var err error
		if private.server, err = run.PrivateServer(ctx, r.spec, r.server.Prefix, run.ScriptMemory); err != nil {
			return err
		}
		for _, mix := range result.Mixes() {
			if err == nil {
				err = private.rehearseLoop(ctx, c, mix, r.mostConnections(), r.WarmUp+r.Segment)
			}
		}
		if err != nil {
			private.server.Abandon()
			return err
		}
		if err = private.server.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) rehearseLoop(ctx context.Context, c *run.Limiter, mix string, connections int,
	length time.Duration) error {
	l, err := s.closedLoop(ctx, c, saturation{mix: mix, connections: connections, warmUp: length})
	if err == nil {
		err = l.end(ctx, nil)
	}
	if err == nil || errors.Is(err, errStopped) || ctx.Err() != nil {
		return err
	}
	return &replay.InputError{Err: fmt.Errorf("%s: in a closed loop on a private server: %v", c.File, err)}
}

// replayed sends the traffic past the rows, each row's own where clients react.
func (s *session) replayed(ctx context.Context, p *contest, rows []*run.Virtual, lanes []replay.Lane) (
	[]virtualResult, error) {
	if !p.Scenario.Reactive() {
		return s.replay(ctx, p, p.traffic(), rows, lanes)
	}
	var all []virtualResult
	for i, v := range rows {
		sent, err := load.Virtual(ctx, &p.Plan, v.Limiter, p.part, v)
		if err != nil {
			return nil, err
		}
		if v.Limiter.NewModel == nil { // it has decided already
			lanes[i].Decider = &run.FromJournal{Decisions: sent.Decisions}
		}
		found, err := s.replay(ctx, p, sent, rows[i:i+1], lanes[i:i+1])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// replay sends one traffic past rows.
func (s *session) replay(ctx context.Context, p *contest, t replay.Traffic, rows []*run.Virtual,
	lanes []replay.Lane) ([]virtualResult, error) {
	outcome, err := replay.Run(ctx, t, p.Policy, lanes, replay.Options{Stop: s.stop})
	switch {
	case err != nil:
		return nil, err
	case outcome.Partial:
		return nil, errStopped
	}
	return count(ctx, rows, outcome)
}

func (s *session) clock() replay.Clock { return replay.Clock{Now: s.now, Sleep: s.sleep} }

// count looks at what the rows did and at what they leave.
func count(ctx context.Context, rows []*run.Virtual, o *replay.Outcome) ([]virtualResult, error) {
	var all []virtualResult
	for i, v := range rows {
		left, err := v.Left(ctx, o.LastUS)
		if err != nil {
			return nil, err
		}
		all = append(all, virtualResult{result: o.Lanes[i].Result, spent: run.Spent{Calls: v.Calls(), Left: left}})
	}
	return all, nil
}

// work is what the decisions on all the scenarios took together.
func work(all ...virtualResult) result.Work {
	var spent run.Spent
	for _, e := range all {
		spent = spent.Plus(e.spent)
	}
	return result.Work{
		KeysLeft: &spent.Left.Keys, KeysLeftWithoutTTL: &spent.Left.WithoutTTL,
		RedisCallsPerDecision: spent.CallsPerDecision(), RoundTripsPerDecision: spent.TripsPerDecision(),
		RedisCallsPerAdmitted: spent.CallsPerAdmitted(), RedisCallsPerRejected: spent.CallsPerRejected(),
		BytesPerKey: spent.BytesPerKey(),
	}
}

// fill lets one client make n requests, spread evenly over a window of fillLimit, and looks at the memory.
func (s *session) fill(ctx context.Context, e *run.Limiter, n int64) (result.Fill, error) {
	v, err := e.On(ctx, s.server, run.Times{Start: scenario.DefaultStart}, s.clock())
	if err != nil {
		return result.Fill{}, err
	}
	requests, decisions := make([]limit.Request, n), make([]limit.Decision, n)
	for i := range n {
		requests[i] = limit.Request{AtUS: i * fillLimit.WindowUS() / n, Key: fillKey(e.Label), Cost: 1}
	}
	if err := v.Decide(ctx, requests, decisions); err != nil {
		return result.Fill{}, fmt.Errorf("%s: %w", e.Label, err)
	}
	left, err := v.Left(ctx, requests[n-1].AtUS)
	if err == nil {
		err = v.Close(context.WithoutCancel(ctx))
	}
	if err != nil {
		return result.Fill{}, err
	}
	s.noteRejections(e.Label, decisions)
	return result.Fill{Entries: n, Bytes: left.Bytes, Keys: left.Keys}, nil
}

// fillNameLength is the length of a label and a client's name together in a memory fill, unless the label alone is as
// long: a key's name is part of its memory, and an algorithm with a long one is not to pay for that.
const fillNameLength = 40

func fillKey(label string) string {
	return "client" + strings.Repeat("-", max(0, fillNameLength-len("client")-len(label)))
}

// noteRejections notes a fill that did not admit all: its memory is that of fewer entries.
func (s *session) noteRejections(label string, decisions []limit.Decision) {
	rejected := 0
	for _, d := range decisions {
		if !d.Allowed() {
			rejected++
		}
	}
	if rejected > 0 {
		s.note(fmt.Sprintf("%s: of the memory fill's %d requests %d were rejected, under the limit %v", label,
			len(decisions), rejected, fillLimit))
	}
}

func pointer[T any](v T) *T { return &v }

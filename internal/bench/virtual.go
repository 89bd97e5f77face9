package bench

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"ratelab/internal/benchresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/play"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/virtualtime"
)

// virtualResult is what an entry does with a scenario in virtual time.
type virtualResult struct {
	result measure.Result
	spent  lineup.Spent
	record *play.Record // nil where nothing is played
}

// decide replays the traffic past the entries in virtual time, on the server that the scenario's rows are measured on,
// and counts what the decisions take. It deletes what the scripts leave.
func (s *session) decide(ctx context.Context, p *contest) ([]virtualResult, error) {
	watch := lineup.NewWatch(ctx, s.server)
	var rows []*lineup.Virtual
	var lanes []replay.Lane
	var records []*play.Record
	company := &virtualtime.Company{}
	for _, e := range p.Entries {
		v, err := e.On(ctx, watch, lineup.Times{Start: p.Scenario.Start, Company: company}, s.clock())
		if err != nil {
			return nil, err
		}
		lane := replay.Lane{Label: e.Label, Decider: v}
		if p.part != nil {
			records = append(records, play.NewRecord(p.part))
			lane.Observe = records[len(records)-1].Observe
		}
		rows, lanes = append(rows, v), append(lanes, lane)
	}
	found, err := s.replayed(ctx, p, rows, lanes)
	for i, r := range records[:min(len(records), len(found))] {
		found[i].record = r
	}
	for _, v := range rows {
		if closed := v.Close(context.WithoutCancel(ctx)); err == nil {
			err = closed
		}
	}
	if err == nil {
		err = watch.Check(ctx)
	}
	return found, lineup.Blamed(err)
}

// replayed sends the traffic past the rows, each row's own where clients react.
func (s *session) replayed(ctx context.Context, p *contest, rows []*lineup.Virtual, lanes []replay.Lane) (
	[]virtualResult, error) {
	if !p.Scenario.Reactive() {
		return s.replay(ctx, p, p.traffic(), rows, lanes)
	}
	var all []virtualResult
	for i, v := range rows {
		sent, err := play.Virtual(ctx, &p.Contest, v.Entry, p.part, v)
		if err != nil {
			return nil, err
		}
		if v.Entry.NewModel == nil { // it has decided already
			lanes[i].Decider = &lineup.FromJournal{Decisions: sent.Decisions}
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
func (s *session) replay(ctx context.Context, p *contest, t replay.Traffic, rows []*lineup.Virtual,
	lanes []replay.Lane) ([]virtualResult, error) {
	outcome, err := replay.Run(ctx, t, p.Policy, lanes, replay.Options{Stop: s.stop, Parallel: s.parallel()})
	switch {
	case err != nil:
		return nil, err
	case outcome.Partial:
		return nil, errStopped
	}
	return count(ctx, rows, outcome)
}

func (s *session) clock() replay.Clock { return replay.Clock{Now: s.now, Sleep: s.sleep} }

// parallel is how many lanes decide at the same time: one on a server that others use, so that they wait for one batch
// at the most.
func (s *session) parallel() int {
	if !s.server.Own {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// count looks at what the rows did and at what they leave.
func count(ctx context.Context, rows []*lineup.Virtual, o *replay.Outcome) ([]virtualResult, error) {
	var all []virtualResult
	for i, v := range rows {
		left, err := v.Left(ctx, o.LastUS)
		if err != nil {
			return nil, err
		}
		all = append(all, virtualResult{result: o.Lanes[i].Result, spent: lineup.Spent{Calls: v.Calls(), Left: left}})
	}
	return all, nil
}

// work is what the decisions on all the scenarios took together.
func work(all ...virtualResult) benchresult.Work {
	var spent lineup.Spent
	for _, e := range all {
		spent = spent.Plus(e.spent)
	}
	return benchresult.Work{
		KeysLeft: &spent.Left.Keys, KeysLeftWithoutTTL: &spent.Left.WithoutTTL,
		RedisCallsPerDecision: spent.CallsPerDecision(), RoundTripsPerDecision: spent.TripsPerDecision(),
		RedisCallsPerAdmitted: spent.CallsPerAdmitted(), RedisCallsPerRejected: spent.CallsPerRejected(),
		BytesPerKey: spent.BytesPerKey(),
	}
}

// fill lets one client make n requests, spread evenly over a window of fillLimit, and looks at the memory.
func (s *session) fill(ctx context.Context, e *lineup.Entry, n int64) (benchresult.Fill, error) {
	v, err := e.On(ctx, lineup.NewWatch(ctx, s.server), lineup.Times{Start: scenario.DefaultStart}, s.clock())
	if err != nil {
		return benchresult.Fill{}, err
	}
	requests, decisions := make([]limit.Request, n), make([]limit.Decision, n)
	for i := range n {
		requests[i] = limit.Request{AtUS: i * fillLimit.WindowUS() / n, Key: fillKey(e.Label), Cost: 1}
	}
	var left virtualtime.Left
	if err = v.Decide(ctx, requests, decisions); err == nil {
		left, err = v.Left(ctx, requests[n-1].AtUS)
	} else {
		err = &replay.LaneError{Label: e.Label, Err: err}
	}
	if closed := v.Close(context.WithoutCancel(ctx)); err == nil {
		err = closed
	}
	if err != nil {
		return benchresult.Fill{}, err
	}
	s.noteRejections(e.Label, decisions)
	return benchresult.Fill{Entries: n, Bytes: left.Bytes, Keys: left.Keys}, nil
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

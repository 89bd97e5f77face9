package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"ratelab/internal/candidate"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/recording"
	"ratelab/internal/replay"
	"ratelab/internal/virtualtime"
	"ratelab/scenarios"
)

// exact is what a candidate does with a scenario in virtual time.
type exact struct {
	result measure.Result
	calls  int64 // commands that the script issued
	left   virtualtime.Left
}

// lane is one candidate in virtual time.
type lane struct {
	*virtualtime.Runner
	label string
	watch *candidate.Watch
}

// Decide puts the errors of the server's connection into our words.
func (l *lane) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if err := l.Runner.Decide(ctx, requests, decisions); err != nil {
		return l.watch.Explain(ctx, err)
	}
	return nil
}

// fault names the lane in an error of the server.
func (l *lane) fault(ctx context.Context, err error) error {
	return &replay.LaneError{Label: l.label, Err: l.watch.Explain(ctx, err)}
}

// decide replays the traffic past the candidates in virtual time, on the server that the scenario's rows are measured
// on, and counts what the decisions take. It deletes what the scripts leave.
func (s *session) decide(ctx context.Context, p *planned) ([]exact, error) {
	watch := candidate.NewWatch(ctx, s.server)
	lanes, err := s.lanes(ctx, p, watch)
	if err != nil {
		return nil, err
	}
	all := make([]replay.Lane, len(lanes))
	for i, l := range lanes {
		all[i] = replay.Lane{Label: l.label, Decider: l}
	}
	var found []exact
	outcome, err := replay.Run(ctx, p.traffic, p.policy, all, replay.Options{Stop: s.stop, Parallel: s.parallel()})
	switch {
	case err == nil && outcome.Partial:
		err = errStopped
	case err == nil:
		found, err = s.count(ctx, lanes, outcome)
	}
	for _, l := range lanes {
		if closed := l.Close(context.WithoutCancel(ctx)); closed != nil && err == nil {
			err = l.fault(ctx, closed)
		}
	}
	if err == nil {
		err = watch.Check(ctx)
	}
	return found, classified(err)
}

// classified is err, as an *InputError where a trace or a script is to blame.
func classified(err error) error {
	var traffic *replay.TrafficError
	if errors.As(err, &traffic) {
		return &InputError{Err: err}
	}
	return err
}

func (s *session) lanes(ctx context.Context, p *planned, watch *candidate.Watch) ([]*lane, error) {
	var all []*lane
	company := &virtualtime.Company{}
	for _, c := range p.candidates {
		l, err := s.lane(ctx, c, candidate.Times{Start: p.scenario.Start, Company: company}, watch)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func (s *session) lane(ctx context.Context, c *candidate.Candidate, times candidate.Times, watch *candidate.Watch) (*lane, error) {
	clock := candidate.Clock{Now: s.now, Sleep: s.sleep}
	runner, err := candidate.Runner(ctx, s.server, c.Program, times, 0, clock)
	return &lane{runner, c.Label, watch}, err
}

// parallel is how many lanes decide at the same time: one on a server that others use, so that they wait for one batch
// at the most.
func (s *session) parallel() int {
	if !s.server.Own {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// count looks at what the lanes did and at what they leave.
func (s *session) count(ctx context.Context, lanes []*lane, o *replay.Outcome) ([]exact, error) {
	var all []exact
	for i, l := range lanes {
		left, err := l.Left(ctx, o.LastUS, s.server.Own)
		if err != nil {
			return nil, l.fault(ctx, err)
		}
		all = append(all, exact{o.Lanes[i].Result, l.Calls(), left})
	}
	return all, nil
}

// work is what the decisions on all the scenarios took together.
func work(all ...exact) recording.Work {
	var offered, calls int64
	var left virtualtime.Left
	for _, e := range all {
		offered, calls = offered+e.result.Offered, calls+e.calls
		left.Keys, left.WithoutTTL, left.Bytes = left.Keys+e.left.Keys, left.WithoutTTL+e.left.WithoutTTL, left.Bytes+e.left.Bytes
	}
	w := recording.Work{KeysLeft: &left.Keys, KeysLeftWithoutTTL: &left.WithoutTTL}
	if offered > 0 {
		w.RedisCallsPerDecision, w.RoundTripsPerDecision = pointer(float64(calls)/float64(offered)), pointer(1.0)
	}
	if left.Bytes > 0 && left.Keys > 0 {
		w.BytesPerKey = pointer(float64(left.Bytes) / float64(left.Keys))
	}
	return w
}

// fill lets one client make n requests, spread evenly over a window of fillLimit, and looks at the memory.
func (s *session) fill(ctx context.Context, c *candidate.Candidate, n int64) (recording.Fill, error) {
	l, err := s.lane(ctx, c, candidate.Times{Start: scenarios.DefaultStart}, candidate.NewWatch(ctx, s.server))
	if err != nil {
		return recording.Fill{}, err
	}
	requests, decisions := make([]limit.Request, n), make([]limit.Decision, n)
	for i := range n {
		requests[i] = limit.Request{AtUS: i * fillLimit.WindowUS() / n, Key: fillKey(c.Label), Cost: 1}
	}
	var left virtualtime.Left
	if err = l.Decide(ctx, requests, decisions); err == nil {
		left, err = l.Left(ctx, requests[n-1].AtUS, true)
	}
	if closed := l.Close(context.WithoutCancel(ctx)); err == nil {
		err = closed
	}
	if err != nil {
		return recording.Fill{}, l.fault(ctx, err)
	}
	s.noteRejections(c.Label, decisions)
	return recording.Fill{Entries: n, Bytes: left.Bytes, Keys: left.Keys}, nil
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
		s.note(fmt.Sprintf("%s: of the memory fill's %d requests %d were rejected, under the limit %v", label, len(decisions), rejected, fillLimit))
	}
}

func pointer[T any](v T) *T { return &v }

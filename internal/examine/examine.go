// Package examine plays a few standard traffics past a user's script and says in words what it found, such as that
// steady traffic is locked out: what no figure of the traffic that was asked about may show. It judges by what the
// script answers; of its source it only says where to look.
package examine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Standard is the limit of an examination: small, so that a few hundred requests show everything, and of whole seconds,
// which every binding can write, though no usual part of it is: neither a permit's interval nor a sub-window.
var Standard = limit.Policy{Requests: 20, Window: 7 * time.Second}

// Subject is a script to be examined.
type Subject struct {
	Under func(limit.Policy) (*lineup.Entry, error)
	Own   limit.Policy // under which it was asked about
	Costs bool         // it was asked about traffic in which not every request costs 1
	Watch *lineup.Watch
	Clock replay.Clock
}

// mostFixed is the largest limit at which a script is examined whose limit nobody can choose.
const mostFixed = 500

// Examine lets the script decide, on the watched server. Where its limit is fixed in its source or binding, it is that
// of the traffic that was asked about; if that is too large nothing is examined, which the result says. The error is
// that of the server, or of the script.
func (s *Subject) Examine(ctx context.Context) (*report.Examination, error) {
	own, err := s.Under(s.Own)
	if err != nil {
		return nil, err
	}
	found := &report.Examination{Algorithm: own.Label, ScriptSHA1: script.SHA1(own.Program.Source),
		Findings: []report.Finding{}}
	e, err := s.Under(Standard)
	policy := Standard
	if err != nil || reflect.DeepEqual(e.Program.Decide, own.Program.Decide) {
		e, policy = own, s.Own
	}
	found.Limit = result.LimitOf(policy)
	if policy.Requests > mostFixed {
		return found, nil
	}
	x := examination{Subject: s, ctx: ctx, entry: e, policy: policy, found: found}
	return found, x.look()
}

// examination is one under way.
type examination struct {
	*Subject
	ctx       context.Context
	entry     *lineup.Entry
	policy    limit.Policy
	found     *report.Examination
	left      virtualtime.Left // of all traffics together
	locked    bool             // it was seen to lock out
	pointless bool             // what is left would only say the same
}

// look plays every traffic, until one shows that there is nothing else to see.
func (x *examination) look() error {
	for _, look := range []func() error{x.burst, x.steady, x.over, x.edge, x.apart, x.costs, x.seconds, x.wait} {
		err := look()
		var failed *virtualtime.CallError
		if errors.As(err, &failed) {
			x.say(true, Fails, fmt.Sprintf("fails under the limit %v: %s", x.policy, failed.Text))
			return nil
		}
		if err != nil || x.pointless {
			return err
		}
	}
	x.leftovers()
	return nil
}

// say notes a finding; a fault is what nobody wants of a limiter.
func (x *examination) say(fault bool, kind, text string) {
	x.found.Findings = append(x.found.Findings, report.Finding{Kind: kind, Fault: fault, Text: text})
}

// decide is what the script answers, with nothing on the server before.
func (x *examination) decide(requests []limit.Request) ([]limit.Decision, error) {
	v, err := x.entry.On(x.ctx, x.Watch, lineup.Times{Start: scenario.DefaultStart}, x.Clock)
	if err != nil {
		return nil, err
	}
	decisions := make([]limit.Decision, len(requests))
	err = v.Decide(x.ctx, requests, decisions)
	if err == nil {
		var left virtualtime.Left
		left, err = v.Left(x.ctx, requests[len(requests)-1].AtUS)
		x.left.Keys, x.left.WithoutTTL = x.left.Keys+left.Keys, x.left.WithoutTTL+left.WithoutTTL
	}
	if closed := v.Close(context.WithoutCancel(x.ctx)); err == nil {
		err = closed
	}
	return decisions, err
}

// exact is what a sliding log answers in the script's place.
func (x *examination) exact(requests []limit.Request) []limit.Decision {
	choice, err := algorithms.Choose("sliding-window-log", nil)
	if err != nil {
		panic(err) // the name comes from the registry
	}
	in, err := choice.Instance(x.policy)
	if err != nil {
		panic(err) // every limit that a script is examined at is one for a log
	}
	model, decisions := in.NewModel(), make([]limit.Decision, len(requests))
	for i, q := range requests {
		decisions[i] = model.Decide(scenario.DefaultStart.UnixMicro()+q.AtUS, q.Key, q.Cost)
	}
	return decisions
}

// allowed counts what is admitted.
func allowed(all []limit.Decision) int {
	n := 0
	for _, d := range all {
		if d.Verdict == limit.Allowed {
			n++
		}
	}
	return n
}

// key is that of most requests.
const key = "client"

// at is so many requests at one instant.
func at(us int64, n int64) []limit.Request {
	all := make([]limit.Request, n)
	for i := range all {
		all[i] = limit.Request{AtUS: us, Key: key, Cost: 1}
	}
	return all
}

// every is a request each stepUS, n of them.
func every(stepUS, n int64) []limit.Request {
	all := make([]limit.Request, n)
	for i := range all {
		all[i] = limit.Request{AtUS: int64(i) * stepUS, Key: key, Cost: 1}
	}
	return all
}

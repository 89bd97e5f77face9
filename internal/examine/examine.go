// Package examine runs a user's script on a few standard traffics and reports findings, such as that steady traffic is
// locked out, which the user's own traffic may not show. Findings follow from the script's replies; its source only
// says where to look. The package's tests search for the worst traffic of each algorithm.
package examine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Standard is the limit of an examination: small, so that a few hundred requests show everything, and of whole seconds,
// which every binding can write, though no usual part of it is: neither a permit's interval nor a sub-window.
var Standard = limit.Policy{Requests: 20, Window: 7 * time.Second}

// Script is a script to be examined.
type Script struct {
	Under  func(limit.Policy) (*run.Limiter, error)
	Own    limit.Policy // under which it was asked about
	Costs  bool         // it was asked about traffic in which not every request costs 1
	Server run.Server
}

// mostFixed is the largest limit at which a script is examined whose limit nobody can choose.
const mostFixed = 500

// Examine lets the script decide, on the server. Where its limit is fixed in its source or binding, it is that
// of the traffic that was asked about; if that is too large nothing is examined, which the result says. The error is
// that of the server, or of the script.
func (s *Script) Examine(ctx context.Context) (*result.Examination, error) {
	own, err := s.Under(s.Own)
	if err != nil {
		return nil, err
	}
	found := &result.Examination{Algorithm: own.Label, ScriptSHA1: script.SHA1(own.Program.Source),
		Findings: []result.Finding{}}
	e, err := s.Under(Standard)
	policy := Standard
	if err != nil || reflect.DeepEqual(e.Program.Decide, own.Program.Decide) {
		e, policy = own, s.Own
	}
	found.Limit = result.LimitOf(policy)
	if policy.Requests > mostFixed {
		return found, nil
	}
	x := examination{Script: s, ctx: ctx, entry: e, found: found, policy: policy, limit: policy.Requests,
		windowUS: policy.WindowUS()}
	err = x.look()
	slices.SortStableFunc(found.Findings, func(a, b result.Finding) int {
		switch {
		case a.Fault == b.Fault:
			return 0
		case a.Fault:
			return -1
		}
		return 1
	})
	return found, err
}

// Scripts examines users' scripts, each on a server of ours: nobody else's may be kept busy by what was not asked for.
// They were asked about under a limit, and in traffic of other costs than 1 where costs says so. The error is
// message.ErrStopped where the server was told to stop.
func Scripts(ctx context.Context, files []script.File, own limit.Policy, costs bool, like run.Server) (
	[]result.Examination, error) {
	var all []result.Examination
	for _, file := range files {
		server, err := like.Private(ctx)
		if err != nil {
			return nil, err
		}
		s := Script{Own: own, Costs: costs, Server: server,
			Under: func(p limit.Policy) (*run.Limiter, error) { return run.Own(file, p) }}
		found, err := s.Examine(ctx)
		err = server.Clean(ctx, err)
		server.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, *found)
	}
	return all, nil
}

// examination is the state of one examination.
type examination struct {
	*Script
	ctx       context.Context
	entry     *run.Limiter
	found     *result.Examination
	policy    limit.Policy
	limit     int64
	windowUS  int64
	left      virtualtime.Left // of all traffics together
	locked    bool             // it was seen to lock out
	pointless bool             // what is left would only say the same
	err       error            // why a traffic was not decided; nothing is said from then on
}

// look runs every traffic, until one shows that the others can find nothing more.
func (x *examination) look() error {
	for _, look := range []func(){x.burst, x.steady, x.over, x.edge, x.apart, x.costs, x.seconds, x.wait} {
		look()
		var failed *virtualtime.CallError
		if errors.As(x.err, &failed) {
			x.err = nil
			x.say(true, "fails", "fails under the limit %v: %s", x.policy, failed.Text)
			return nil
		}
		if x.err != nil || x.pointless {
			return x.err
		}
	}
	x.leftovers()
	return nil
}

// say adds a finding. A fault is a finding that is wrong in any limiter.
func (x *examination) say(fault bool, kind, format string, args ...any) {
	if x.err == nil {
		x.found.Findings = append(x.found.Findings, result.Finding{Kind: kind, Fault: fault,
			Text: fmt.Sprintf(format, args...)})
	}
}

// decide is what the script answers, with nothing on the server before.
func (x *examination) decide(requests []limit.Request) []limit.Decision {
	decisions := make([]limit.Decision, len(requests))
	if x.err == nil {
		x.err = x.ask(requests, decisions)
	}
	return decisions
}

func (x *examination) ask(requests []limit.Request, decisions []limit.Decision) error {
	s, err := x.Server.Open(x.ctx, x.entry, scenario.DefaultStart, 0, 0)
	if err != nil {
		return err
	}
	if err := s.Decide(x.ctx, requests, decisions); err != nil {
		return err // which ends the examination, on a server of ours
	}
	left, err := s.Left(x.ctx, requests[len(requests)-1].AtUS)
	if err != nil {
		return err
	}
	x.left.Keys, x.left.WithoutTTL = x.left.Keys+left.Keys, x.left.WithoutTTL+left.WithoutTTL
	return x.Server.Clean(x.ctx, nil)
}

// exact counts what a sliding log admits of one key's requests in the script's place.
func (x *examination) exact(requests []limit.Request) (n int64) {
	log := measure.NewReference(limit.Policy{Requests: x.limit, Window: x.policy.Window}, 0)
	for _, q := range requests {
		if log.Admit(q, 0) {
			n++
		}
	}
	return n
}

// allowed counts what is admitted.
func allowed(all []limit.Decision) (n int64) {
	for _, d := range all {
		if d.Allowed() {
			n++
		}
	}
	return n
}

// key is that of most requests.
const key = "client"

// every is a request each stepUS, n of them, from fromUS on; at once where that is 0.
func every(fromUS, stepUS, n int64) []limit.Request {
	all := make([]limit.Request, n)
	for i := range all {
		all[i] = limit.Request{AtUS: fromUS + int64(i)*stepUS, Key: key, Cost: 1}
	}
	return all
}

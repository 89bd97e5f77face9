// Package examine plays standard traffic past a limiter's script and reports findings: faults, which are wrong in any
// limiter, and properties, which belong to a kind of limiter. Each finding has the traffic that shows it. Findings
// follow from replies and keys; the script's source is not read.
//
// It compares no scripts (see run.Compare) and judges no cost (see counting).
package examine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Standard is the limit where nobody named one.
var Standard = limit.Policy{Requests: 100, Window: time.Minute}

// large is the largest limit and burst that are examined, since the traffic grows with them. Where a smaller one can be
// examined instead, reduced takes the place of all above twice as much.
const (
	large   = 500
	reduced = 100
)

// Script is a limiter's script to be examined.
type Script struct {
	At    func(limit.Policy) (*limiter.Limiter, error)
	Asked *limit.Policy // the limit that was asked about; nil: none
	Costs bool          // requests have other costs than 1
	// Engine has a server of its own: the script may loop.
	Engine run.Engine
}

// Examine lets the script decide on the server. The error is the server's or the binding's.
func (s *Script) Examine(ctx context.Context) (*result.Examination, error) {
	policy := Standard
	if s.Asked != nil {
		policy = *s.Asked
	}
	x, err := s.under(ctx, policy)
	if err != nil {
		return nil, err
	}
	policy, x.found.NotExamined = s.policy(x.policy, x.limiter.Program)
	if x.found.NotExamined != "" {
		return x.found, nil
	}
	if x, err = s.under(ctx, policy); err != nil {
		return nil, err
	}
	return x.found, x.look(looks)
}

// under begins an examination at a limit. The error is the binding's.
func (s *Script) under(ctx context.Context, p limit.Policy) (*examination, error) {
	l, err := s.At(p)
	if err != nil {
		return nil, err
	}
	p = l.Policy // a script may have its own
	x := &examination{Script: s, ctx: ctx, limiter: l, policy: p, limit: p.Requests, burst: p.Capacity(),
		windowUS: p.WindowUS(), stepUS: 1, found: &result.Examination{Algorithm: l.Label, Limit: result.LimitOf(p),
			ScriptSHA1: script.SHA1(l.Program.Source), Findings: []result.Finding{}, Tried: []string{}}}
	x.fillUS = x.forCost(x.burst)
	x.baseUS = (x.windowUS - scenario.DefaultStart.UnixMicro()%x.windowUS) % x.windowUS
	return x, nil
}

// passes reports whether the binding passes what each change of the limit changes.
func (s *Script) passes(p limit.Policy, changes ...func(*limit.Policy)) bool {
	l, err := s.At(p)
	return err == nil && !slices.ContainsFunc(changes, func(change func(*limit.Policy)) bool {
		other := p
		change(&other)
		changed, err := s.At(other)
		return err != nil || l.Program.CalledAlike(changed.Program)
	})
}

// policy is the limit at which the script is examined: the one that was asked about, or a smaller one of the same
// window where that is large and the binding passes it; or why there is none.
func (s *Script) policy(asked limit.Policy, program *script.Program) (at limit.Policy, why string) {
	limits := s.passes(asked, more)
	biggest := max(asked.Requests, asked.Capacity())
	switch {
	case s.Asked == nil && program.Own == nil && !(limits && s.passes(asked, longer)):
		return asked, "the binding does not pass limit and window, and no limit was given; give --limit 100/1m"
	case biggest <= 2*reduced || !limits && biggest <= large:
		return asked, ""
	case !limits:
		return asked, fmt.Sprintf("the limit %v is large, and the binding does not pass it, so that a smaller one "+
			"cannot be examined; give a limit of at most %d", asked, large)
	}
	asked.Requests = max(1, asked.Requests*reduced/biggest)
	asked.Burst = min(asked.Burst, max(1, asked.Burst*reduced/biggest))
	return asked, ""
}

// examination is the state of one examination.
type examination struct {
	*Script
	ctx     context.Context
	limiter *limiter.Limiter
	found   *result.Examination
	policy  limit.Policy

	limit, burst     int64
	windowUS, fillUS int64 // fillUS: in which an empty bucket of the burst is full again
	baseUS           int64 // where windows that are aligned to the clock begin, after the start

	admits  int64 // at once, which need not be the burst
	stepUS  int64 // between requests that are "at once"
	seconds bool  // the script goes by whole seconds
	delayUS int64 // the longest delay of a shaper so far

	worstOf []limit.Request // the traffic with the most in one window
	endless []limit.Request // the shortest traffic that left a key without a TTL
	names   []string        // of keys that some traffic left
	err     error           // why a traffic was not decided; nothing is said from then on
}

// names are the kinds of findings in words, where the finding does not say it all.
var names = map[string]string{
	"no_limit": "no limit at one instant", "off_by_one": "off by one", "more_at_once": "more at once than the limit",
	"admits_none": "admits nothing", "shares_keys": "shares keys", "ignores_cost": "ignores costs",
	"loses_fraction": "loses the fraction of a refill", "never_expires": "never expires",
	"expires_early": "expires early", "refills_early": "refills early", "expires_late": "expires late",
	"locks_out": "locks out whoever goes on asking", "starves": "starves a steady client",
	"silent_fallback": "falls back silently", "counts_rejected": "counts what it rejects",
	"whole_seconds": "goes by whole seconds", "client_clock": "trusts the client's clock",
	"retry_after": "retry-after is not true", "cluster": "fails on a cluster", "fails": "fails",
}

// look is a question. Its answer is what was tried, for what is right unless there are findings; "": nothing was.
type look struct {
	ask    func(*examination) (tried string)
	always bool // of a script without a limit, too
}

// looks are the questions, in an order in which each knows of the causes that the ones before it have found. The first
// says whether the others have a sense.
var looks = []look{{(*examination).atOnce, true}, {(*examination).apart, false}, {(*examination).costs, false},
	{(*examination).neverExpires, true}, {(*examination).wholeSeconds, false}, {(*examination).expiresEarly, false},
	{(*examination).expiresLate, false}, {(*examination).locksOut, false}, {(*examination).losesFraction, false},
	{(*examination).countsRejected, false}, {(*examination).steady, false}, {(*examination).retryAfter, false},
	{(*examination).clientClock, false}, {(*examination).cluster, true}, {(*examination).worst, true},
	{(*examination).family, false}, {(*examination).sweep, true}}

// ours begins what virtual time or the embedded server cannot do, which is no script's fault.
var ours = regexp.MustCompile(`^(virtual time|the embedded server) `)

func (x *examination) look(looks []look) error {
	for _, look := range looks {
		if x.admits == 0 && !look.always {
			continue
		}
		before, tried := len(x.found.Findings), look.ask(x)
		if failed, ok := errors.AsType[*virtualtime.CallError](x.err); ok {
			x.err = nil
			if ours.MatchString(failed.Text) {
				x.found.NotExamined, x.found.Findings, x.found.Tried = failed.Text, []result.Finding{}, []string{}
			} else {
				x.say(fault, "fails", nil, "%s", failed.Text)
			}
			return nil
		}
		if x.err != nil || x.has("admits_none") {
			return x.err
		}
		if tried != "" && len(x.found.Findings) == before {
			x.found.Tried = append(x.found.Tried, tried)
		}
	}
	return nil
}

// A finding is a fault, which is wrong in any limiter, or a property of a kind of limiter.
const fault, property = true, false

// say adds a finding, with the traffic that shows it.
func (x *examination) say(fault bool, kind string, shown []limit.Request, format string, args ...any) {
	if x.err == nil {
		x.add(result.Finding{Kind: kind, Fault: fault, Text: fmt.Sprintf(format, args...), Limit: x.found.Limit,
			Requests: int64(len(shown)), Traffic: volleys(shown)})
	}
}

// add adds a finding, faults before properties.
func (x *examination) add(f result.Finding) {
	f.Name = names[f.Kind]
	at := len(x.found.Findings)
	if f.Fault {
		at = x.found.Faults()
	}
	x.found.Findings = slices.Insert(x.found.Findings, at, f)
}

// has reports whether there is a finding of any of these kinds.
func (x *examination) has(kinds ...string) bool {
	return slices.ContainsFunc(x.found.Findings, func(f result.Finding) bool { return slices.Contains(kinds, f.Kind) })
}

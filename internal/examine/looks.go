package examine

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/scenario"
	"ratelab/internal/sheet"
)

// The kinds of findings.
const (
	AdmitsAll   = "admits_all"
	AdmitsNone  = "admits_none"
	OffByOne    = "off_by_one"
	LocksOut    = "locks_out"
	TooStrict   = "too_strict"
	CountsAll   = "counts_rejected"
	EdgeBurst   = "edge_burst"
	Shares      = "shares_keys"
	IgnoresCost = "ignores_cost"
	Seconds     = "whole_seconds"
	ShortWait   = "short_retry_after"
	Forever     = "never_expires"
	Fails       = "fails"
)

// burst asks for two more than the limit at once.
func (x *examination) burst() error {
	l := x.policy.Requests
	got, err := x.decide(at(0, l+2))
	if err != nil {
		return err
	}
	switch n := int64(allowed(got)); n {
	case l + 2:
		x.say(true, AdmitsAll, fmt.Sprintf("has no limit at one instant: of %d requests at once it admits all, and "+
			"the "+
			"limit is %d", l+2, l))
	case 0:
		x.say(true, AdmitsNone, fmt.Sprintf("admits nothing: none of %d requests at once", l+2))
		x.pointless = true
	case l + 1, l - 1:
		x.say(true, OffByOne, fmt.Sprintf("is off by one: of %d requests at once it admits %d, and the limit is %d",
			l+2, n, l))
	}
	return nil
}

// windows is for how many windows steady traffic lasts.
const windows = 12

// steady asks for nine tenths of the limit, evenly: nobody is to be rejected.
func (x *examination) steady() error {
	w, l := x.policy.WindowUS(), x.policy.Requests
	step := (w*10 + 9*l - 1) / (9 * l)
	requests := every(step, windows*w/step)
	got, err := x.decide(requests)
	if err != nil {
		return err
	}
	n := allowed(got)
	if n == len(got) {
		return nil
	}
	last := slices.IndexFunc(got, func(d limit.Decision) bool { return d.Verdict != limit.Allowed })
	for i, d := range got {
		if d.Verdict == limit.Allowed {
			last = i
		}
	}
	silence := requests[len(requests)-1].AtUS - requests[last].AtUS
	of := fmt.Sprintf("a request every %s, which is 90 %% of the limit", sheet.Span(step))
	if silence >= 3*w {
		x.locked = true
		x.say(true, LocksOut, fmt.Sprintf("locks its users out: of %s, it admits %d and then none for %s; a TTL that "+
			"every "+
			"call sets anew does that, no TTL at all, or counting what is rejected", of, n,
			sheet.Span(silence/1e6*1e6)))
		return nil
	}
	x.say(true, TooStrict, fmt.Sprintf("rejects steady traffic: of %s, it rejects %d of %d", of, len(got)-n, len(got)))
	return nil
}

// over asks for half as much again as the limit, evenly: whoever goes on asking is to get the limit all the same.
func (x *examination) over() error {
	if x.locked {
		return nil
	}
	w, l := x.policy.WindowUS(), x.policy.Requests
	step := w * 2 / (3 * l)
	requests := every(step, windows*w/step)
	got, err := x.decide(requests)
	if err != nil {
		return err
	}
	n, exact := allowed(got), allowed(x.exact(requests))
	if 2*n < exact {
		x.say(true, CountsAll, fmt.Sprintf("keeps out whoever goes on asking: at 150 %% of the limit it admits %d of "+
			"%d, where "+
			"an exact limiter admits %d; it counts what it rejects, or sets the TTL anew with every call", n, len(got),
			exact))
	}
	return nil
}

// edge asks for one request, and then for the limit on either side of the edge of a window, be it aligned to the clock
// or opened by the first request.
func (x *examination) edge() error {
	w, l := x.policy.WindowUS(), x.policy.Requests
	requests := slices.Concat(at(0, 1), at(w-w/100, l-1), at(w+w/100, l))
	got, err := x.decide(requests)
	if err != nil {
		return err
	}
	if n := int64(allowed(got[1:])); n > l+1 {
		x.say(false, EdgeBurst, fmt.Sprintf("lets %d through within %s of a window's edge, %.2f x the limit of %d in "+
			"%s", n,
			sheet.Span(w/50), float64(n)/float64(l), l, sheet.Span(w)))
	}
	return nil
}

// apart floods one key and asks for another one once.
func (x *examination) apart() error {
	requests := append(at(0, 3*x.policy.Requests), limit.Request{AtUS: 1000, Key: "another", Cost: 1})
	got, err := x.decide(requests)
	if err != nil {
		return err
	}
	if got[len(got)-1].Verdict != limit.Allowed {
		x.say(true, Shares, "lets clients share a limit: once one has used its up, another's first request is rejected")
	}
	return nil
}

// costs asks for fifths of the limit, six times, where requests have costs.
func (x *examination) costs() error {
	fifth := x.policy.Requests / 5
	if !x.Costs || fifth < 2 {
		return nil
	}
	requests := at(0, 6)
	for i := range requests {
		requests[i].Cost = fifth
	}
	got, err := x.decide(requests)
	if err != nil {
		return err
	}
	if allowed(got) < len(got) {
		return nil
	}
	why := "although its binding passes it"
	if !x.entry.TakesCost() {
		why = "since its binding has no {cost}"
	}
	x.say(true, IgnoresCost, fmt.Sprintf("ignores what a request costs, %s: six requests that cost %d each all pass "+
		"a limit of "+
		"%d", why, fifth, x.policy.Requests))
	return nil
}

// seconds asks at random instants, at twice the rate, and again at the whole seconds before them: what decides both
// alike does not see what happens within a second. What goes by whole windows does not need to.
func (x *examination) seconds() error {
	r := rand.New(rand.NewPCG(1, 2))
	var requests []limit.Request
	gap := x.policy.WindowUS() / x.policy.Requests
	for us := x.policy.WindowUS() + 345_678; len(requests) < 400; us += r.Int64N(gap) {
		requests = append(requests, limit.Request{AtUS: us, Key: key, Cost: 1})
	}
	var verdicts [3][]limit.Verdict
	for i, unit := range []int64{1, 1e6, x.policy.WindowUS()} {
		cut := slices.Clone(requests)
		for j := range cut {
			cut[j].AtUS -= (scenario.DefaultStart.UnixMicro() + cut[j].AtUS) % unit
		}
		got, err := x.decide(cut)
		if err != nil {
			return err
		}
		for _, d := range got {
			verdicts[i] = append(verdicts[i], d.Verdict)
		}
	}
	if slices.Equal(verdicts[0], verdicts[1]) && !slices.Equal(verdicts[0], verdicts[2]) {
		x.say(true, Seconds, fmt.Sprintf("goes by whole seconds: it decides %d requests as if each had come at the "+
			"whole "+
			"second before it, so that its window is up to a second too short or too long", len(requests)))
	}
	return nil
}

// wait asks again after as long as a rejection says.
func (x *examination) wait() error {
	requests := at(0, x.policy.Requests+2)
	got, err := x.decide(requests)
	if err != nil {
		return err
	}
	told := got[len(got)-1]
	if told.Verdict != limit.Rejected || told.RetryAfterUS <= 0 {
		return nil
	}
	got, err = x.decide(append(requests, limit.Request{AtUS: told.RetryAfterUS, Key: key, Cost: 1}))
	if err != nil {
		return err
	}
	if got[len(got)-1].Verdict != limit.Allowed {
		x.say(true, ShortWait, fmt.Sprintf("says too early when to come back: who waits the %s that it tells is "+
			"rejected again",
			sheet.Span(told.RetryAfterUS)))
	}
	return nil
}

// leftovers are keys that never go.
func (x *examination) leftovers() {
	if x.left.WithoutTTL > 0 {
		x.say(true, Forever, fmt.Sprintf("never expires: %d of the %d keys that it left have no TTL, and stay until "+
			"somebody "+
			"deletes them", x.left.WithoutTTL, x.left.Keys))
	}
}

package examine

import (
	"math/rand/v2"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
)

// burst asks for two more than the limit at once.
func (x *examination) burst() {
	asked := x.limit + 2
	switch n := allowed(x.decide(every(0, 0, asked))); n {
	case asked:
		x.say(true, "admits_all",
			"has no limit at one instant: of %d requests at once it admits all, and the limit is %d",
			asked, x.limit)
	case 0:
		x.say(true, "admits_none", "admits nothing: none of %d requests at once", asked)
		x.pointless = true
	case x.limit + 1, x.limit - 1:
		x.say(true, "off_by_one", "is off by one: of %d requests at once it admits %d, and the limit is %d", asked, n,
			x.limit)
	}
}

// windows is for how many windows steady traffic lasts.
const windows = 12

// steady asks for nine tenths of the limit, evenly: nobody is to be rejected.
func (x *examination) steady() {
	step := (x.windowUS*10 + 9*x.limit - 1) / (9 * x.limit)
	requests := every(0, step, windows*x.windowUS/step)
	got := x.decide(requests)
	n, all := allowed(got), int64(len(got))
	if n == all {
		return
	}
	last := max(0, slices.IndexFunc(got, func(d limit.Decision) bool { return !d.Allowed() }))
	for i, d := range got {
		if d.Allowed() {
			last = i
		}
	}
	silence := requests[all-1].AtUS - requests[last].AtUS
	if x.locked = silence >= 3*x.windowUS; x.locked {
		x.say(true, "locks_out",
			"locks its users out: of a request every %s, which is 90 %% of the limit, it admits %d "+
				"and then none for %s; a TTL that every call sets anew does that, no TTL at all, or counting what is "+
				"rejected", report.Span(step), n, report.Span(silence/1e6*1e6))
		return
	}
	x.say(true, "too_strict",
		"rejects steady traffic: of a request every %s, which is 90 %% of the limit, it rejects %d "+
			"of %d", report.Span(step), all-n, all)
}

// over asks for half as much again as the limit, evenly: whoever goes on asking is to get the limit all the same.
func (x *examination) over() {
	if x.locked {
		return
	}
	step := x.windowUS * 2 / (3 * x.limit)
	requests := every(0, step, windows*x.windowUS/step)
	if n, exact := allowed(x.decide(requests)), x.exact(requests); 2*n < exact {
		x.say(true, "counts_rejected",
			"keeps out whoever goes on asking: at 150 %% of the limit it admits %d of %d, where an "+
				"exact limiter admits %d; it counts what it rejects, or sets the TTL anew with every call", n,
			len(requests), exact)
	}
}

// edge asks for one request, and then for the limit on either side of the edge of a window, be it aligned to the clock
// or opened by the first request.
func (x *examination) edge() {
	w := x.windowUS
	got := x.decide(slices.Concat(every(0, 0, 1), every(w-w/100, 0, x.limit-1), every(w+w/100, 0, x.limit)))
	if n := allowed(got[1:]); n > x.limit+1 {
		x.say(false, "edge_burst", "lets %d through within %s of a window's edge, %.2f x the limit of %d in %s", n,
			report.Span(w/50), float64(n)/float64(x.limit), x.limit, report.Span(w))
	}
}

// apart floods one key and asks for another one once.
func (x *examination) apart() {
	got := x.decide(append(every(0, 0, 3*x.limit), limit.Request{AtUS: 1000, Key: "another", Cost: 1}))
	if !got[len(got)-1].Allowed() {
		x.say(true, "shares_keys",
			"lets clients share a limit: once one has used its up, another's first request is rejected")
	}
}

// costs asks for fifths of the limit, six times, where requests have costs.
func (x *examination) costs() {
	fifth := x.limit / 5
	if !x.Costs || fifth < 2 {
		return
	}
	requests := every(0, 0, 6)
	for i := range requests {
		requests[i].Cost = fifth
	}
	why := "although its binding passes it"
	if !x.entry.Program.TakesCost() {
		why = "since its binding has no {cost}"
	}
	if allowed(x.decide(requests)) == 6 {
		x.say(true, "ignores_cost",
			"ignores what a request costs, %s: six requests that cost %d each all pass a limit "+
				"of %d", why, fifth, x.limit)
	}
}

// seconds asks at random instants, at twice the rate, and again at the whole seconds before them: what decides both
// alike does not see what happens within a second. What goes by whole windows does not need to.
func (x *examination) seconds() {
	r := rand.New(rand.NewPCG(1, 2))
	var requests []limit.Request
	for us := x.windowUS + 345_678; len(requests) < 400; us += r.Int64N(x.windowUS / x.limit) {
		requests = append(requests, limit.Request{AtUS: us, Key: key, Cost: 1})
	}
	var verdicts [3][]limit.Verdict
	for i, unit := range []int64{1, 1e6, x.windowUS} {
		cut := slices.Clone(requests)
		for j := range cut {
			cut[j].AtUS -= (scenario.DefaultStart.UnixMicro() + cut[j].AtUS) % unit
		}
		for _, d := range x.decide(cut) {
			verdicts[i] = append(verdicts[i], d.Verdict)
		}
	}
	if slices.Equal(verdicts[0], verdicts[1]) && !slices.Equal(verdicts[0], verdicts[2]) {
		x.say(true, "whole_seconds",
			"goes by whole seconds: it decides %d requests as if each had come at the whole second "+
				"before it, so that its window is up to a second too short or too long", len(requests))
	}
}

// wait asks again after as long as a rejection says.
func (x *examination) wait() {
	requests := every(0, 0, x.limit+2)
	told := x.decide(requests)[len(requests)-1]
	if told.Verdict != limit.Rejected || told.RetryAfterUS <= 0 {
		return
	}
	got := x.decide(append(requests, limit.Request{AtUS: told.RetryAfterUS, Key: key, Cost: 1}))
	if !got[len(got)-1].Allowed() {
		x.say(true, "short_retry_after",
			"says too early when to come back: who waits the %s that it tells is rejected again",
			report.Span(told.RetryAfterUS))
	}
}

// leftovers are keys that never go.
func (x *examination) leftovers() {
	if x.left.WithoutTTL > 0 {
		x.say(true, "never_expires",
			"never expires: %d of the %d keys that it left have no TTL, and stay until somebody "+
				"deletes them", x.left.WithoutTTL, x.left.Keys)
	}
}

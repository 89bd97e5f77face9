package examine

import (
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// atOnce asks for twice the burst at once, and for far more where all are admitted. Where all are admitted again, it
// asks with a ms between them: a script whose entries collide within a ms has a limit all the same.
func (x *examination) atOnce() string {
	asked := 2*x.burst + 2
	n := allowed(x.play(x.at(0, asked)))
	if n == asked {
		asked = 10*x.burst + 100
		n = allowed(x.play(x.at(0, asked)))
	}
	x.admits = n
	switch refilled := x.allows(asked * x.stepUS); {
	case n == asked:
		x.admits, asked = 0, 2*x.burst+2
		more := ""
		if x.stepUS = millisecond; asked*x.stepUS < x.fillUS/4 {
			if few := allowed(x.play(x.at(0, asked))); few > 0 && few < asked {
				x.admits, more = few, fmt.Sprintf(", though only %d when they come a millisecond apart", few)
			}
		}
		x.say(fault, "no_limit", every(0, 1, x.burst+1), "admits all of %d requests at once, and the limit is %d%s",
			asked, x.burst, more)
	case n == 0:
		x.say(fault, "admits_none", x.at(0, 1), "admits none of %d requests at once", asked)
	case n == x.burst-1, n > x.burst+refilled && n == x.burst+1:
		x.say(fault, "off_by_one", x.at(0, min(n, x.burst)+1), "admits %d at once, and the limit is %d", n, x.burst)
	case n > x.burst+refilled:
		x.say(fault, "more_at_once", x.at(0, x.burst+1), "admits %d at once, and the limit is %d", n, x.burst)
	case n < x.burst:
		x.say(property, "less_at_once", x.at(0, n+1), "admits %d at once, and the limit is %d", n, x.burst)
	}
	return fmt.Sprintf("%d at once", x.burst)
}

// apart floods one key and asks for another one once.
func (x *examination) apart() string {
	flood := append(every(0, 1, 2*x.burst+1), limit.Request{AtUS: 2*x.burst + 1, Key: another, Cost: 1})
	if x.lastly(1, flood) == 0 {
		x.say(fault, "shares_keys", append(x.full(0), limit.Request{AtUS: x.admits * x.stepUS, Key: another, Cost: 1}),
			"rejects a client's first request once another client has used its limit")
	}
	return "keys apart"
}

// costs asks for a fifth of the limit, six times.
func (x *examination) costs() string {
	fifth, takes := x.burst/5, x.limiter.Program.TakesCost()
	if fifth < 2 || !takes && !x.Costs {
		return ""
	}
	requests := x.at(0, 6)
	for i := range requests {
		requests[i].Cost = fifth
	}
	if allowed(x.play(requests)) == 6 {
		why := map[bool]string{true: "although its binding passes it", false: "since its binding has no {cost}"}
		x.say(fault, "ignores_cost", requests, "admits six requests that cost %d each, and the limit is %d, %s", fifth,
			x.burst, why[takes])
	}
	return "costs"
}

// steady asks for half of the limit, and for nine tenths, evenly. No kind of limiter rejects a half. Many reject a
// little of nine tenths, which other faults can explain as well.
func (x *examination) steady() string {
	rejects := func(step int64) ([]limit.Request, int64) {
		asked := every(0, step, max(8, 4*x.windowUS/step))
		return asked, int64(len(asked)) - allowed(x.play(asked))
	}
	if most := min(x.limit, x.burst); most > 1 &&
		!x.has("never_expires", "expires_late", "locks_out", "counts_rejected", "loses_fraction") {
		step := x.windowUS * 59 / 30 / most // two in a window where the limit is 2
		if asked, n := rejects(step); n > int64(len(asked))/8 {
			x.say(fault, "starves", asked, "of a request every %s, about half of the limit, it rejects %d of %d",
				report.Span(step), n, len(asked))
			return ""
		}
	}
	step := x.forCost(10) / 9
	faulty := slices.ContainsFunc(x.found.Findings, func(f result.Finding) bool { return f.Fault })
	if asked, n := rejects(step); n > 0 && !faulty {
		x.say(property, "rejects_steady", asked, "of a request every %s, 90 %% of the limit, it rejects %d of %d",
			report.Span(step), n, len(asked))
	}
	return "90 % of the limit evenly"
}

// losesFraction asks so that each request comes 0.9 permits after the last one was earned. What is left over must add
// up. Between the first requests and the last ones nobody is rejected, so that rejections cannot be the cause.
func (x *examination) losesFraction() (tried string) {
	if x.admits < 4 || x.has("locks_out") {
		return ""
	}
	for _, gap := range []int64{x.forCost(19) / 10, second * 19 / 10} {
		n := min(60, x.admits*x.windowUS/max(1, gap*x.limit-x.windowUS))
		if gap <= x.forCost(1) || n < 2 {
			continue
		}
		shown := slices.Concat(x.full(x.baseUS), every(x.baseUS+gap, gap, n), x.full(x.baseUS+(n+1)*gap))
		got := x.play(shown)
		exact, kept := min(x.admits, x.allows((n+1)*gap)-n), allowed(got[x.admits+n:])
		if exact < 4 || allowed(got[x.admits:x.admits+n]) < n { // no fractions that add up
			continue
		}
		tried = "fractions of a permit"
		if 3*kept < 2*exact {
			x.say(fault, "loses_fraction", shown, "after %d requests, one every %s, it admits %d at once, "+
				"and %d were earned", n, report.Span(gap), kept, exact)
			return tried
		}
	}
	return tried
}

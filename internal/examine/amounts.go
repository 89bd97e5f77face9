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
		x.unlimited()
	case n == 0:
		x.fault("admits_none", x.at(0, 1), "admits none of %d requests at once", asked)
	case n == x.burst-1, n > x.burst+refilled && n == x.burst+1:
		x.fault("off_by_one", x.at(0, min(n, x.burst)+1), "admits %d at once, and the limit is %d", n, x.burst)
	case n > x.burst+refilled:
		x.fault("more_at_once", x.at(0, x.burst+1), "admits %d at once, and the limit is %d", n, x.burst)
	case n < x.burst:
		x.property("less_at_once", x.at(0, n+1), "admits %d at once, and the limit is %d", n, x.burst)
	}
	return fmt.Sprintf("%d at once", x.burst)
}

// unlimited is about a script that admits everything at once.
func (x *examination) unlimited() {
	more, asked := "", 2*x.burst+2
	x.admits = 0
	if x.stepUS = millisecond; asked*x.stepUS < x.fillUS/4 {
		if n := allowed(x.play(x.at(0, asked))); n > 0 && n < asked {
			x.admits = n
			more = fmt.Sprintf(", though only %d when they come a millisecond apart", n)
		}
	}
	x.fault("no_limit", every(0, 1, x.burst+1), "admits all of %d requests at once, and the limit is "+
		"%d%s", asked, x.burst, more)
}

// apart floods one key and asks for another one once.
func (x *examination) apart() string {
	flood := append(every(0, 1, 2*x.burst+1), limit.Request{AtUS: 2*x.burst + 1, Key: another, Cost: 1})
	if x.admits > 0 && x.lastly(1, flood) == 0 {
		shown := append(x.full(0), limit.Request{AtUS: x.admits * x.stepUS, Key: another, Cost: 1})
		x.fault("shares_keys", shown, "rejects a client's first request once another client has used its limit")
	}
	if x.admits == 0 {
		return ""
	}
	return "keys apart"
}

// costs asks for a fifth of the limit, six times.
func (x *examination) costs() string {
	fifth, takes := x.burst/5, x.limiter.Program.TakesCost()
	if fifth < 2 || x.admits == 0 || !takes && !x.Costs {
		return ""
	}
	requests := x.at(0, 6)
	for i := range requests {
		requests[i].Cost = fifth
	}
	if allowed(x.play(requests)) == 6 {
		why := "although its binding passes it"
		if !takes {
			why = "since its binding has no {cost}"
		}
		x.fault("ignores_cost", requests, "admits six requests that cost %d each, and the limit is %d, %s", fifth,
			x.burst, why)
	}
	return "costs"
}

// steady asks for nine tenths of the limit, evenly: nobody is to be rejected. Other faults explain what it finds, so it
// speaks only where there is none.
func (x *examination) steady() string {
	step := x.forCost(10) / 9
	requests := every(0, step, 3*x.windowUS/step)
	if x.admits == 0 || len(requests) < 2 {
		return ""
	}
	faulty := slices.ContainsFunc(x.found.Findings, func(f result.Finding) bool { return f.Fault })
	if n := allowed(x.play(requests)); n < int64(len(requests)) && !faulty {
		x.property("rejects_steady", requests, "of a request every %s, 90 %% of the limit, it rejects %d of %d",
			report.Span(step), int64(len(requests))-n, len(requests))
	}
	return "90 % of the limit evenly"
}

// losesFraction asks so that each request comes 0.9 permits after the last one was earned. What is left over must add
// up. Between the first requests and the last ones nobody is rejected, so that rejections cannot be the cause.
func (x *examination) losesFraction() string {
	if x.admits < 4 || x.has("locks_out") {
		return ""
	}
	tried := ""
	for _, gap := range []int64{x.forCost(19) / 10, second * 19 / 10} {
		if gap <= x.forCost(1) {
			continue
		}
		n := min(60, x.admits*x.windowUS/(gap*x.limit-x.windowUS))
		if n < 2 {
			continue
		}
		end := x.baseUS + (n+1)*gap
		shown := slices.Concat(x.full(x.baseUS), every(x.baseUS+gap, gap, n), x.full(end))
		got := x.play(shown)
		if middle := got[x.admits : x.admits+n]; allowed(middle) < n {
			continue
		}
		exact, kept := min(x.admits, x.allows((n+1)*gap)-n), allowed(got[x.admits+n:])
		if exact < 4 { // no fractions that add up
			continue
		}
		tried = "fractions of a permit"
		if 3*kept < 2*exact {
			x.fault("loses_fraction", shown, "after %d requests, one every %s, it admits %d at once, "+
				"and %d were earned", n, report.Span(gap), kept, exact)
			return tried
		}
	}
	return tried
}

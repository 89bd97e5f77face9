package examine

import (
	"fmt"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// wholeSeconds uses everything at the beginning of a second, and at the end of one, and asks again after the same time,
// which ends in the same second as what was used, and in the next. A script that goes by whole seconds decides
// differently, and alike at both ends of the second in which it is asked again. A window of a second that is only
// aligned to the clock would look like that: then the question is asked at another window.
func (x *examination) wholeSeconds() string {
	if x.stepUS > 1 {
		return ""
	}
	y := x
	if x.windowUS < 2*second {
		var err error
		y, err = x.under(x.ctx, limit.Policy{Requests: x.limit, Window: 7 * time.Second, Burst: x.policy.Burst})
		if err != nil || y.limiter.Program.CalledAlike(x.limiter.Program) {
			return ""
		}
		y.admits = allowed(y.play(y.at(0, 2*x.burst)))
	}
	for _, due := range []int64{wholeSecond(y.forCost(1)), wholeSecond(y.windowUS)} {
		early := second * 85 / 100 // before so much time has passed
		late, differs, from := second*9/10, 0, int64(0)
		for _, share := range []int64{0, 37, 61} {
			from = wholeSecond(y.windowUS * share / 100)
			n := y.back(from+late, due-early)
			if n > y.back(from, due-early) && n == y.back(from+late, due+second/20) {
				differs++
			}
		}
		if differs == 3 && y.err == nil {
			from += y.baseUS + late
			x.seconds = true
			x.say(fault, "whole_seconds", inOrder(y.full(from), y.full(from+due-early)), "all %d used at the end of a "+
				"second, it admits again %s later, %s too early (at %v); used at its beginning, it does not", y.admits,
				report.Span(due-early), report.Span(early), y.policy)
			break
		}
	}
	x.err = y.err
	return "times within a second"
}

// wholeSecond is a time rounded up to a second.
func wholeSecond(us int64) int64 { return (us + second - 1) / second * second }

// clientClock has two clients ask together, of which one's clock is behind, at many times the limit.
func (x *examination) clientClock() string {
	if !x.limiter.Program.TakesTime() {
		return ""
	}
	const behindUS = 100 * millisecond
	n := max(300, 2*x.limit) // of each client, in three windows, of which the first is not counted
	turn := every(x.baseUS, max(2, 3*x.windowUS/n), n)
	asked := inOrder(turn, turn)
	right := x.lastly(2*n*2/3, asked)
	if right == 0 {
		return ""
	}
	factors, most := []any{}, 0.0
	for _, skew := range []int64{millisecond, 10 * millisecond, behindUS} {
		for j := 1; j < len(asked); j += 2 {
			asked[j].ClientSkewUS = -skew
		}
		most = float64(x.lastly(2*n*2/3, asked)) / float64(right)
		factors = append(factors, most)
	}
	// what a clock that is off costs in any limiter that goes by it: so much of the window's length
	must := 2 * float64(behindUS) / float64(x.windowUS)
	if x.seconds {
		must += 2 * float64(second) / float64(x.windowUS)
	}
	if wrong := most > 1.05+must; x.err == nil && (wrong || most > 1.05 && !x.seconds) {
		x.add(result.Finding{Kind: "client_clock", Fault: wrong, Limit: x.found.Limit, BehindUS: behindUS,
			Text: fmt.Sprintf("of two clients, one with its clock behind by 1, 10 or 100 ms, it admits %.2f, %.2f "+
				"or %.2f times as much", factors...), Requests: 2 * n, Traffic: []result.Volley{{AtUS: x.baseUS,
				Requests: 2 * n, AtOnce: 2, Key: key, Cost: 1, EveryUS: turn[1].AtUS - turn[0].AtUS}}})
	}
	return "a clock 100 ms behind"
}

// retryAfter waits as long as a rejection says, and looks how long it would have to wait.
func (x *examination) retryAfter() (tried string) {
	program := x.limiter.Program
	if !program.TellsRetry && program.Foreign {
		return ""
	}
	longest := 2*max(x.windowUS, x.fillUS) + second
	for _, gap := range []int64{x.admits * x.stepUS, x.forCost(3) / 10, x.forCost(7) / 10, x.windowUS / 3} {
		asked := append(x.full(x.baseUS), every(x.baseUS+max(gap, x.admits*x.stepUS), 1, 1)...)
		from, told := asked[len(asked)-1].AtUS, x.play(asked)[len(asked)-1]
		if told.Verdict != limit.Rejected || told.RetryAfterUS == 0 {
			continue
		}
		passes := func(us int64) bool { return us > 0 && x.lastly(1, asked, every(from+us, 1, 1)) == 1 }
		wait := told.RetryAfterUS
		unit := x.spare()
		if wait%second == 0 {
			unit += second
		}
		if tried = "retry-after"; passes(wait+x.spare()) && !passes(wait-unit) || !passes(longest) {
			continue
		}
		right := first(0, longest, max(1, min(millisecond, x.forCost(1)/10)), passes)
		shown := slices.Concat(asked, every(from+told.RetryAfterUS, 1, 1))
		switch {
		case wait == limit.Never:
			x.say(fault, "retry_after", shown[:len(shown)-1], "it tells never, and after %s the same request passes",
				report.Briefly(right))
		case wait < right-x.spare():
			x.say(fault, "retry_after", shown, "who waits the %s that it tells is rejected again; after %s, %s later, "+
				"the request passes", report.Span(wait), report.Briefly(right), report.Briefly(right-wait))
		default:
			x.say(property, "retry_after", shown, "it tells to wait %s, and after %s the request passes",
				report.Span(wait), report.Briefly(right))
		}
		return tried
	}
	return tried
}

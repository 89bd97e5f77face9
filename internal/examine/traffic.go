package examine

import (
	"cmp"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// The keys of most requests, and of one other client.
const key, another = "k0", "k1"

const millisecond, second = int64(1000), int64(1_000_000)

// at is n requests from an instant on, "at once": a µs apart, since no server decides two scripts in the same one.
func (x *examination) at(atUS, n int64) []limit.Request { return every(atUS, x.stepUS, n) }

// every is n requests, stepUS apart.
func every(fromUS, stepUS, n int64) []limit.Request {
	all := make([]limit.Request, max(0, n))
	for i := range all {
		all[i] = limit.Request{AtUS: fromUS + int64(i)*stepUS, Key: key, Cost: 1}
	}
	return all
}

// full is as many requests at once as the script admits.
func (x *examination) full(atUS int64) []limit.Request { return x.at(atUS, x.admits) }

// forCost is the time in which the limit allows so many permits, rounded up.
func (x *examination) forCost(permits int64) int64 {
	us, rest := limit.Quotient(permits, x.windowUS, x.limit, 1<<62)
	if rest {
		us++
	}
	return us
}

// allows is how many permits the limit allows in a time.
func (x *examination) allows(us int64) int64 {
	n, _ := limit.Quotient(us, x.limit, x.windowUS, 1<<62)
	return n
}

// play is what the script answers with nothing on the server before; traffics are put together in the order of time.
func (x *examination) play(traffics ...[]limit.Request) []limit.Decision {
	requests := inOrder(traffics...)
	decisions := make([]limit.Decision, len(requests))
	if x.err == nil {
		x.err = x.ask(requests, decisions)
	}
	return decisions
}

// standard is the plan of every traffic.
var standard = &run.Plan{Scenario: &scenario.Scenario{Start: scenario.DefaultStart}}

// ask lets the script decide on an empty server. A run.Script whose limiter may keep the server's errors to itself has
// a method Ignored, for the first that it did; "": none.
func (x *examination) ask(requests []limit.Request, decisions []limit.Decision) error {
	s, err := x.Engine.Open(x.ctx, standard, x.limiter)
	if err != nil {
		return err
	}
	if err := s.Decide(x.ctx, requests, decisions); err != nil {
		return err // which ends the examination, on a server of ours
	}
	for _, d := range decisions {
		x.delayUS = max(x.delayUS, d.DelayUS)
	}
	left, err := s.Left(x.ctx, requests[len(requests)-1].AtUS)
	if err != nil {
		return err
	}
	if left.WithoutTTL > 0 && (x.endless == nil || len(requests) < len(x.endless)) {
		x.endless = requests
	}
	if l, ok := s.(interface{ Ignored() string }); ok && l.Ignored() != "" && !x.has("silent_fallback") {
		x.say(fault, "silent_fallback", requests, "the server answers %q, and it decides all the same", l.Ignored())
	}
	if named, ok := s.(interface{ Names() []string }); ok && len(requests) == 1 {
		x.names = named.Names()
	}
	return x.Engine.Clean(x.ctx, nil)
}

// inOrder is traffics together, in the order of time, no two of them in the same microsecond.
func inOrder(traffics ...[]limit.Request) []limit.Request {
	all := slices.Concat(traffics...)
	slices.SortStableFunc(all, func(a, b limit.Request) int { return cmp.Compare(a.AtUS, b.AtUS) })
	for i := 1; i < len(all); i++ {
		all[i].AtUS = max(all[i].AtUS, all[i-1].AtUS+1)
	}
	return all
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

// lastly is how many of the last n requests of the traffics are admitted.
func (x *examination) lastly(n int64, traffics ...[]limit.Request) int64 {
	got := x.play(traffics...)
	return allowed(got[int64(len(got))-n:])
}

// first is the least value in (low, high] at which holds is true, to within the precision; holds must be true at high,
// and all values above the first are taken to be alike.
func first(low, high, precision int64, holds func(int64) bool) int64 {
	for high-low > precision {
		if mid := low + (high-low)/2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// volleys is traffic with requests that follow each other evenly put together.
func volleys(all []limit.Request) []result.Volley {
	list := []result.Volley{}
	for i := 0; i < len(all); {
		q, n, step := all[i], 1, int64(0)
		for ; i+n < len(all) && all[i+n].Key == q.Key && all[i+n].Cost == q.Cost; n++ {
			gap := all[i+n].AtUS - all[i+n-1].AtUS
			if n > 1 && gap != step {
				if gap < step { // the last one begins the next series, so that none overlap
					n--
				}
				break
			}
			step = gap
		}
		if n == 1 || n == 2 && i+n < len(all) { // two are no series, and the second may begin one
			n, step = 1, 0
		}
		list = append(list, result.Volley{AtUS: q.AtUS, Requests: int64(n), EveryUS: step, AtOnce: 1, Key: q.Key,
			Cost: q.Cost})
		i += n
	}
	return list
}

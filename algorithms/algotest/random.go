package algotest

import (
	"fmt"
	"math/rand/v2"

	"ratelab/internal/limit"
)

// RandomSteps is the number of requests in a random trace.
const RandomSteps = 400

// RandomRequests returns random requests that never go back in time, with the decisions of l. The next request often
// comes at the time at which the last decision announced a change, or one microsecond before or after.
func RandomRequests(r *rand.Rand, p limit.Policy, l limit.Model) ([]limit.Request, []limit.Decision) {
	return RandomHistory(r, p, l, RandomSteps, 2)
}

// latestUS ends a long history: some algorithms count exactly for a few years only.
const latestUS = 5 * 365 * 24 * 3600 * 1_000_000

// RandomHistory returns random requests, as many as steps, and the decisions of l. They use as many keys as keys says.
// With more than RandomSteps requests it lasts less than about five years.
func RandomHistory(r *rand.Rand, p limit.Policy, l limit.Model, steps, keys int) ([]limit.Request, []limit.Decision) {
	var requests []limit.Request
	var decisions []limit.Decision
	at := r.Int64N(2 * p.WindowUS())
	for i := 0; i < steps && (i < RandomSteps || at < latestUS); i++ {
		q := limit.Request{AtUS: at, Key: fmt.Sprintf("k%d", r.IntN(keys)), Cost: randomCost(r, p)}
		d := limit.Ask(l, StartUS, &q)
		requests, decisions = append(requests, q), append(decisions, d)
		at += pause(r, p, d)
	}
	return requests, decisions
}

// randomCost returns a cost that is mostly small, sometimes up to the capacity, and sometimes above it.
func randomCost(r *rand.Rand, p limit.Policy) int64 {
	switch r.IntN(4) {
	case 0:
		return 1 + r.Int64N(p.Capacity()+1)
	case 1:
		return 1 + r.Int64N(max(1, p.Requests/2))
	}
	return 1 + r.Int64N(max(1, p.Requests/20))
}

func pause(r *rand.Rand, p limit.Policy, d limit.Decision) int64 {
	w := p.WindowUS()
	switch r.IntN(9) {
	case 0, 1:
		return 0
	case 2:
		return r.Int64N(3)
	case 3, 4:
		return max(0, d.RetryAfterUS-r.Int64N(2))
	case 5:
		return max(0, d.ResetAfterUS+r.Int64N(3)-1)
	case 6:
		return r.Int64N(2 * w)
	}
	return r.Int64N(1 + 2*w/p.Requests)
}

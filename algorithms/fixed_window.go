package algorithms

import (
	"fmt"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:    "fixed-window",
	Family:  "window",
	Place:   1,
	InWords: "a fixed window that begins at the first request",
	Colour:  "#d55e00", // vermilion
	State:   "a counter, whose expiry ends the window",
	Rule:    "the window opens at the first admitted request and lives W; at most L in it",
	Bound:   "N(τ) ≤ L·(⌈τ/W⌉ + 1); up to 2L − 1 in one rolling window",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/"},
	Traits:  Traits{Usual: []limit.Contract{limit.ByWindow, limit.ByBucket}, TTLRule: true},
	Keeping: func(p limit.Policy, _ int64) []string { return []string{fmt.Sprintf("limit=%d", p.Requests/2)} },
	Prepare: func(p limit.Policy, _ Values) (Rule, error) {
		windowMS := ceilDiv(p.WindowUS(), 1000)
		bound := opening(p.Requests, windowMS)
		makeModel := newModel[expiringCount](clock{}, &fixedWindow{p.Requests, windowMS})
		return clock{}.limiter(decimal(p.Requests, windowMS), bound, makeModel), nil
	},
})

// Note: the script does not use ARGV[1], and the algorithm has no `time` parameter. That parameter would promise more
// than the TTL provides, which runs on the server's clock in milliseconds.

// opening returns the envelope of a window that opens at a request. The window lives through its last millisecond. So
// the k-th window after this one opens at least k·(windowMS + 1) ms later. Times are counted in whole ms. An interval
// contains all of L for each window that opens in it. It contains at most L − 1 of a window that was open before,
// because that window's first request lies outside the interval.
func opening(requests, windowMS int64) envelope {
	apartUS := (windowMS + 1) * 1000
	return func(tauUS, _ int64) int64 {
		most := product(requests, sum(tauUS, 999)/apartUS+1) // the first window opens at the start of the interval
		if tauUS == 0 {
			return most
		}
		return max(most, sum(requests-1, product(requests, sum(tauUS, 998)/apartUS+1)))
	}
}

// fixedWindow is the rule of a counter with a TTL.
type fixedWindow struct{ limit, windowMS int64 }

// expiringCount is the counter of one key.
type expiringCount struct {
	life
	count int64
}

// decide counts the cost that the open window has admitted.
func (f *fixedWindow) decide(at *moment, c *expiringCount, cost int64) limit.Decision {
	if c.count == 0 || c.lastMS > at.nowMS+f.windowMS { // the clock stepped back, or the window was longer before
		c.lastMS = at.nowMS + f.windowMS
	}
	if c.count+cost <= f.limit {
		c.count += cost
		return limit.Decision{Verdict: limit.Allowed, Remaining: f.limit - c.count,
			ResetAfterUS: (c.lastMS - at.nowMS + 1) * 1000}
	}
	return c.reject(f.limit, cost, (c.lastMS-at.nowMS+1)*1000)
}

// reject returns the decision of a counter that restarts in endUS.
func (c *expiringCount) reject(most, cost, endUS int64) limit.Decision {
	d := limit.Decision{Remaining: max(0, most-c.count), RetryAfterUS: endUS, ResetAfterUS: endUS}
	if c.count == 0 {
		d.ResetAfterUS = 0
	}
	if cost > most {
		d.RetryAfterUS = limit.Never
	}
	return d
}

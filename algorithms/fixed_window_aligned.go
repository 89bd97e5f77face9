package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:       "fixed-window-aligned",
	Family:     "window",
	Place:      2,
	Short:      "fixed\nalign",
	InWords:    "a fixed window aligned to the clock",
	Colour:     "#e69f00", // orange
	State:      "a hash of up to sixteen counters, one for each window, under the window's begin",
	Rule:       "windows begin at multiples of W on the clock; at most L in each",
	Bound:      "N(τ) ≤ L·(⌈τ/W⌉ + 1); up to 2L in one rolling window",
	Sources:    []string{"https://redis.io/docs/latest/commands/incr/"},
	Parameters: withClock(),
	Traits:     Traits{Aligned: true, Grid: true},
	Prepare: onWindow(touching, func(requests, windowUS int64) rule[windows] {
		return &alignedWindow{requests, windowUS}
	}),
})

// alignedWindow has one counter for each window.
type alignedWindow struct{ limit, windowUS int64 }

// decide counts the cost admitted in the window around now. If the window's length has changed, the count continues.
func (a *alignedWindow) decide(at *moment, w *windows, cost int64) limit.Decision {
	begin := beginOf(at.nowUS, a.windowUS)
	used, changed := w.count(begin), w.isOther(a.windowUS)
	if changed {
		used = w.count(beginOf(at.nowUS, w.lengthUS))
		*w = windows{}
		w.add(at, begin, begin, a.windowUS, used)
	}
	allowed := used+cost <= a.limit
	if allowed {
		w.add(at, begin, begin, a.windowUS, cost)
	}
	leftUS := begin + a.windowUS - at.nowUS
	if allowed {
		return limit.Decision{Verdict: limit.Allowed, Remaining: a.limit - used - cost, ResetAfterUS: leftUS}
	}
	return (&expiringCount{count: used}).reject(a.limit, cost, leftUS)
}

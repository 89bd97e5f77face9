package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:       "fixed-window-aligned",
	Family:     "window",
	Colour:     "#e69f00", // orange
	State:      "a hash of up to sixteen counters, one for each window, under the window's number",
	Rule:       "windows begin at multiples of W on the clock; at most L in each",
	Bound:      "N(τ) ≤ L·(⌈τ/W⌉ + 1); up to 2L in one rolling window",
	Sources:    []string{"https://redis.io/docs/latest/commands/incr/"},
	Parameters: withClock("server"),
	Traits: Traits{Aligned: true, Grid: true, LifeMS: func(resetUS, windowUS int64) int64 {
		return ceilDiv(resetUS+windowUS, 1000) + 1000 // so that a clock that steps back finds the window before
	}},
	Prepare: onWindow(touching, func(requests, windowUS int64) rule[windows] {
		return &alignedWindow{requests, windowUS}
	}),
})

// alignedWindow has one counter for each window.
type alignedWindow struct{ limit, windowUS int64 }

// decide counts what the window around now has admitted.
func (a *alignedWindow) decide(at *moment, w *windows, cost int64) limit.Decision {
	nowUS := at.nowUS
	number := floorDiv(nowUS, a.windowUS)
	leftUS := (number+1)*a.windowUS - nowUS
	spanUS := w.spanUS(number, a.windowUS)
	around := floorDiv(nowUS, spanUS)
	used := w.count(around)
	if used+cost <= a.limit {
		w.add(number, number, a.windowUS, used, cost, at.afterUS(leftUS+a.windowUS))
		return limit.Decision{Verdict: limit.Allowed, Remaining: a.limit - used - cost, ResetAfterUS: leftUS}
	}
	return (&expiringCount{count: used}).reject(a.limit, cost, (around+1)*spanUS-nowUS)
}

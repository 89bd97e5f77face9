package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:       "fixed-window-aligned",
	Family:     "window",
	State:      "a counter for each window, the window's number in its key",
	Rule:       "windows begin at multiples of W on the clock; at most L in each",
	Bound:      "N(τ) ≤ L·(⌈τ/W⌉ + 1); up to 2L in one rolling window",
	Sources:    []string{"https://redis.io/docs/latest/commands/incr/"},
	Parameters: withClock("server"),
	Traits:     Traits{Aligned: true},
	Prepare: onWindow(touching, func(requests, windowUS, marginMS int64) rule {
		return &alignedWindow{requests, windowUS, marginMS, newStore[windows]()}
	}),
})

// alignedWindow is the model: one counter for each window.
type alignedWindow struct {
	limit, windowUS, marginMS int64
	store                     store[windows, *windows]
}

func (a *alignedWindow) fork(key string) rule {
	return &alignedWindow{a.limit, a.windowUS, a.marginMS, a.store.fork(key)}
}

// decide counts what the window around nowUS has admitted.
func (a *alignedWindow) decide(serverUS, nowUS int64, key string, cost int64) limit.Decision {
	w := a.store.of(key, serverUS)
	number := floorDiv(nowUS, a.windowUS)
	leftUS := (number+1)*a.windowUS - nowUS
	used := w.count(number)
	if used+cost <= a.limit {
		w.add(number, cost, a.store.nowMS+ceilDiv(leftUS+a.windowUS, 1000)+a.marginMS)
		return limit.Decision{Verdict: limit.Allowed, Remaining: a.limit - used - cost, ResetAfterUS: leftUS}
	}
	return (&expiringCount{count: used}).reject(a.limit, cost, leftUS)
}

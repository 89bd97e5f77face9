package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
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
	Prepare: onWindow(touching, func(requests, windowUS int64, c clock) model {
		return &alignedWindow{requests, windowUS, newStore[windows](c)}
	}),
})

// alignedWindow is the model: one counter for each window.
type alignedWindow struct {
	limit, windowUS int64
	store           store[windows, *windows]
}

// Decide counts what the window around nowUS has admitted.
func (a *alignedWindow) Decide(nowUS int64, key string, cost int64) limit.Decision {
	w := a.store.of(key, nowUS)
	number := floorDiv(nowUS, a.windowUS)
	leftUS := (number+1)*a.windowUS - nowUS
	spanUS := w.spanUS(number, a.windowUS)
	around := floorDiv(nowUS, spanUS)
	used := w.count(around)
	if used+cost <= a.limit {
		w.add(number, number, a.windowUS, used, cost, a.store.afterUS(leftUS+a.windowUS))
		return limit.Decision{Verdict: limit.Allowed, Remaining: a.limit - used - cost, ResetAfterUS: leftUS}
	}
	return (&expiringCount{count: used}).reject(a.limit, cost, (around+1)*spanUS-nowUS)
}

// DecideAt decides by the clock that the rule goes by; the key expires by the server's.
func (a *alignedWindow) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return decideAt(a, &a.store, serverUS, clientUS, key, cost)
}

// Fork is a model that knows key alone, in a copy of its state.
func (a *alignedWindow) Fork(key string) limit.Limiter {
	return &alignedWindow{a.limit, a.windowUS, a.store.fork(key)}
}

package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:   "sliding-window-counter",
	Family: "window",
	Colour: "#56b4e9", // sky blue
	State:  "a hash of up to sixteen counters of aligned windows; the current and the previous one count",
	Rule: "the current count and the part of the previous one that (t − W, t] still covers stay at most L, in " +
		"integers",
	Bound:      "N(τ) ≤ L + L·τ/W; nearly 2L in one rolling window",
	Sources:    []string{"https://blog.cloudflare.com/counting-things-a-lot-of-different-things/"},
	Parameters: withClock("server"),
	Traits:     Traits{Aligned: true, Grid: true},
	Prepare: onWindow(weighing, func(requests, windowUS int64) rule[windows] {
		return &slidingCounter{requests, windowUS}
	}),
})

// weighing is the counter's envelope, that of a bucket: all that it admits of the next window the last one's weight has
// left room for.
func weighing(requests, windowUS int64) envelope { return refilling(requests, windowUS, requests) }

// slidingCounter has counters of aligned windows, two of which are read.
type slidingCounter struct{ limit, windowUS int64 }

// decide weighs the previous window's count by what (t − W, t] covers of it.
func (s *slidingCounter) decide(at *moment, w *windows, cost int64) limit.Decision {
	nowUS := at.nowUS
	number := floorDiv(nowUS, s.windowUS)
	spanUS := w.spanUS(number, s.windowUS)
	around := floorDiv(nowUS, spanUS)
	elapsed := nowUS - around*spanUS
	current, previous := w.count(around), w.count(around-1)
	weighed := previous
	if previous > 0 {
		weighed -= floorProduct(previous, elapsed, spanUS)
	}
	remaining := max(0, s.limit-current-weighed)
	if cost <= remaining {
		endUS := (number+2)*s.windowUS - nowUS // the end of the next window, when the current count weighs nothing
		w.add(number, number-1, s.windowUS, current+weighed, cost, at.afterUS(endUS))
		return limit.Decision{Verdict: limit.Allowed, Remaining: remaining - cost, ResetAfterUS: endUS}
	}
	d := limit.Decision{Remaining: remaining, RetryAfterUS: s.retry(cost, current, previous, elapsed, spanUS)}
	switch {
	case current > 0:
		d.ResetAfterUS = 2*spanUS - elapsed
	case weighed > 0:
		d.ResetAfterUS = spanUS - elapsed
	}
	return d
}

// retry is the time until the previous window weighs little enough: in the current window, or, where the current
// count alone leaves too little, in the next one, when that is the previous.
func (s *slidingCounter) retry(cost, current, previous, elapsed, spanUS int64) int64 {
	room := s.limit - current - cost
	switch {
	case cost > s.limit:
		return limit.Never
	case room >= 0:
		return spanUS - floorProduct(spanUS, room, previous) - elapsed
	}
	return 2*spanUS - floorProduct(spanUS, s.limit-cost, current) - elapsed
}

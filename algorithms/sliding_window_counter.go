package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:       "sliding-window-counter",
	Family:     "window",
	State:      "two counters, of the current and the previous aligned window",
	Rule:       "the current count and the part of the previous one that (t − W, t] still covers stay at most L, in integers",
	Bound:      "N(τ) ≤ L + L·τ/W; nearly 2L in one rolling window",
	Sources:    []string{"https://blog.cloudflare.com/counting-things-a-lot-of-different-things/"},
	Parameters: withClock("server"),
	Traits:     Traits{Aligned: true},
	Prepare: onWindow(weighing, func(requests, windowUS, marginMS int64) rule {
		return &slidingCounter{requests, windowUS, marginMS, newStore[windows]()}
	}),
})

// weighing is the counter's envelope, that of a bucket: all that it admits of the next window the last one's weight has
// left room for.
func weighing(requests, windowUS int64) envelope { return refilling(requests, windowUS, requests) }

// slidingCounter is the model: counters of aligned windows, two of which are read.
type slidingCounter struct {
	limit, windowUS, marginMS int64
	store                     store[windows, *windows]
}

func (s *slidingCounter) fork(key string) rule {
	return &slidingCounter{s.limit, s.windowUS, s.marginMS, s.store.fork(key)}
}

// decide weighs the previous window's count by what (t − W, t] covers of it.
func (s *slidingCounter) decide(serverUS, nowUS int64, key string, cost int64) limit.Decision {
	w := s.store.of(key, serverUS)
	number := floorDiv(nowUS, s.windowUS)
	elapsed := nowUS - number*s.windowUS
	current, previous := w.count(number), w.count(number-1)
	weighed := previous
	if previous > 0 {
		weighed -= floorProduct(previous, elapsed, s.windowUS)
	}
	remaining := max(0, s.limit-current-weighed)
	endUS := 2*s.windowUS - elapsed // the end of the next window, when the current count weighs nothing
	if cost <= remaining {
		w.add(number, cost, s.store.nowMS+ceilDiv(endUS, 1000)+s.marginMS)
		return limit.Decision{Verdict: limit.Allowed, Remaining: remaining - cost, ResetAfterUS: endUS}
	}
	d := limit.Decision{Remaining: remaining, RetryAfterUS: s.retry(cost, current, previous, elapsed)}
	switch {
	case current > 0:
		d.ResetAfterUS = endUS
	case weighed > 0:
		d.ResetAfterUS = s.windowUS - elapsed
	}
	return d
}

// retry is the time until the previous window weighs little enough: in the current window, or, where the current
// count alone leaves too little, in the next one, when that is the previous.
func (s *slidingCounter) retry(cost, current, previous, elapsed int64) int64 {
	room := s.limit - current - cost
	switch {
	case cost > s.limit:
		return limit.Never
	case room >= 0:
		return s.windowUS - floorProduct(s.windowUS, room, previous) - elapsed
	}
	return 2*s.windowUS - floorProduct(s.windowUS, s.limit-cost, current) - elapsed
}

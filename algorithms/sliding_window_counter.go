package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:    "sliding-window-counter",
	Family:  "window",
	Place:   3,
	Short:   "sliding\ncounter",
	InWords: "a sliding window, weighted from two counters",
	Colour:  "#56b4e9", // sky blue
	State:   "a hash of up to sixteen counters of aligned windows; the current and the previous one count",
	Rule: "the current count and the part of the previous one that (t − W, t] still covers stay at most L, in " +
		"integers",
	Bound:      "N(τ) ≤ L + L·τ/W; nearly 2L in one rolling window",
	Sources:    []string{"https://blog.cloudflare.com/counting-things-a-lot-of-different-things/"},
	Parameters: withClock(),
	Traits:     Traits{Usual: []limit.Contract{limit.ByWindow}, Aligned: true, Grid: true},
	Prepare: onWindow(weighing, func(requests, windowUS int64) rule[windows] {
		return &slidingCounter{requests, windowUS}
	}),
})

// weighing returns the counter's envelope, which equals a bucket's: in the next window it admits at most what the
// weight of the last window leaves.
func weighing(requests, windowUS int64) envelope { return refilling(requests, windowUS, requests) }

// slidingCounter has counters of aligned windows, two of which are read.
type slidingCounter struct{ limit, windowUS int64 }

// decide weights the count of the previous window by the part of it that (t − W, t] covers. If the window's length has
// changed, the weighted counts of the old windows become the current count.
func (s *slidingCounter) decide(at *moment, w *windows, cost int64) limit.Decision {
	begin := beginOf(at.nowUS, s.windowUS)
	current, previous := w.count(begin), w.count(begin-s.windowUS)
	if w.isOther(s.windowUS) {
		old := beginOf(at.nowUS, w.lengthUS)
		current = w.count(old) + weight(w.count(old-w.lengthUS), at.nowUS-old, w.lengthUS)
		previous = 0
		if current > 0 {
			w.add(at, begin, 0, s.windowUS, current)
		}
	}
	elapsed := at.nowUS - begin
	d := limit.Decision{Remaining: max(0, s.limit-current-weight(previous, elapsed, s.windowUS))}
	if cost <= d.Remaining {
		w.add(at, begin, begin-s.windowUS, s.windowUS, cost)
		return limit.Decision{Verdict: limit.Allowed, Remaining: d.Remaining - cost,
			ResetAfterUS: 2*s.windowUS - elapsed}
	}
	switch {
	case current > 0:
		d.ResetAfterUS = 2*s.windowUS - elapsed
	case previous > 0:
		d.ResetAfterUS = s.windowUS - elapsed
	}
	// The request fits when the previous window weighs little enough: later in this window, or in the next one, when
	// the current window is the previous one.
	switch room := s.limit - current - cost; {
	case cost > s.limit:
		d.RetryAfterUS = limit.Never
	case room >= 0:
		d.RetryAfterUS = s.windowUS - floorProduct(s.windowUS, room, previous) - elapsed
	default:
		d.RetryAfterUS = 2*s.windowUS - floorProduct(s.windowUS, s.limit-cost, current) - elapsed
	}
	return d
}

// weight returns how much of the limit a previous window takes. It is rounded up, which does not change a comparison of
// integers.
func weight(previous, elapsed, windowUS int64) int64 {
	if previous == 0 {
		return 0
	}
	return previous - floorProduct(previous, elapsed, windowUS)
}

package algorithms

import (
	"math"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:   "leaky-bucket",
	Family: "shaper",
	Place:  7,
	Colour: "#881166", // plum
	State:  "one timestamp, the next free departure",
	Rule: "a queue of B places drained at one per W/L; a request is admitted with its delay, or rejected when it " +
		"is full",
	Bound: "departures at least W/L apart, first in first out; delay ≤ (B − 1)·W/L; admitted: N(τ) ≤ B + r·τ",
	Sources: []string{
		"J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986",
		"https://en.wikipedia.org/wiki/Leaky_bucket",
	},
	Parameters: withClock(burstParameter),
	Traits:     Traits{Timed: true},
	Prepare: func(p limit.Policy, v Values) (Rule, error) {
		in, err := prepareGCRA(p, v, func(g gcra) rule[arrival] { return &leakyBucket{g} })
		w, l := p.Interval()
		in.MostDeparting = departing(w, l, in.GranularityUS)
		return in, err
	},
})

// departing returns the envelope of departures that are at least w/l µs apart for each token of the earlier one. The
// last departure is added to those for which the interval has room. A delay is rounded up to whole µs, which brings two
// departures closer by less than 1 µs. If the clock shows whole steps, they are closer by less than one more step.
func departing(w, l, stepUS int64) func(spanUS, largestCost int64) int64 {
	return func(spanUS, largestCost int64) int64 {
		room, rest := limit.Quotient(max(1, spanUS)+max(1, stepUS)-1, l, w, math.MaxInt64)
		if !rest {
			room-- // departures exactly one interval apart are not both inside
		}
		return sum(room, largestCost)
	}
}

// leakyBucket delays requests. Its queue is gcra's bucket: the missing tokens are the waiting requests.
type leakyBucket struct{ gcra gcra }

// decide admits as gcra does. A request leaves after all requests before it.
func (b *leakyBucket) decide(at *moment, a *arrival, cost int64) limit.Decision {
	wait, _ := b.gcra.wait(at, a)
	d := b.gcra.decide(at, a, cost)
	if d.Allowed() {
		d.DelayUS = ceilDiv(wait, ticks)
	}
	return d
}

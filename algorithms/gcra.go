package algorithms

import (
	"fmt"
	"slices"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:    "gcra",
	Family:  "bucket",
	Place:   6,
	Short:   "gcra\n1+1",
	InWords: "a bucket that refills steadily",
	Colour:  "#cc79a7", // reddish purple
	State:   "one timestamp, when the bucket will be full again",
	Rule: "each token moves the timestamp on by W/L, rounded up to 1/16 µs; the timestamp is at most B tokens ahead " +
		"of now",
	Bound: "N(τ) ≤ B + r·τ, where N(τ) is the cost admitted in any interval of length τ, and r = L/W",
	Sources: []string{
		"ITU-T I.371 (2004), annex A",
		"https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm",
	},
	Parameters: withClock(burstParameter),
	Traits: Traits{ExactFor: []limit.Contract{limit.ByBucket}, Usual: []limit.Contract{limit.ByWindow},
		RedisRate: true, Timed: true},
	Keeping: func(p limit.Policy, largestCost int64) (all []string) { // the rate plus the burst must be the limit
		for _, k := range []int64{10, 4, 2} {
			burst := max(1, p.Requests/k, min(largestCost, p.Requests-1))
			all = append(all, fmt.Sprintf("limit=%d:burst=%d", p.Requests-burst, burst))
		}
		return slices.Compact(all)
	},
	Second: Second{Short: "gcra\n.9+.1",
		Words: "gcra 1+1: rate L/W, burst L: the bucket contract. gcra .9+.1: 0.9 L/W and 0.1 L."},
	Prepare: func(p limit.Policy, v Values) (Rule, error) {
		return prepareGCRA(p, v, func(g gcra) rule[arrival] { return &g })
	},
})

var burstParameter = Parameter{Name: "burst", Kind: Integer, Low: 1, High: limit.MaxRequests,
	Default: "the limit's burst", Doc: "the capacity: how much is admitted at once", Role: Capacity}

// prepareGCRA is Prepare for the algorithms that keep one timestamp.
func prepareGCRA(p limit.Policy, v Values, makeRule func(gcra) rule[arrival]) (Rule, error) {
	c, burst, interval := v.clock(), v.Integer("burst", p.Capacity()), ceilDiv(ticks*p.WindowUS(), p.Requests)
	if err := withinSpan("filling the bucket", burst, interval, limit.MaxExact/2, ticks); err != nil {
		return Rule{}, err
	}
	w, l := p.Interval()
	return c.limiter(decimal(burst, p.WindowUS(), p.Requests), refilling(burst, w, l),
		newModel[arrival](c, makeRule(gcra{bucket{burst, interval, ticks}}))), nil
}

// The unit of time is a tick, 1/16 µs. Ticks count from 2024-01-01.
const (
	ticks         = 16
	epochUS int64 = 1_704_067_200_000_000
)

// gcra is GCRA in ticks. The time per token is rounded up, so that no more is admitted than the limit allows.
type gcra struct{ bucket }

// arrival is the theoretical arrival time (TAT).
type arrival struct {
	life
	tat int64
}

// decide admits a request if the TAT is then at most a full bucket ahead of now.
func (g *gcra) decide(at *moment, a *arrival, cost int64) limit.Decision {
	wait, changed := g.wait(at, a)
	wait, d := g.take(wait, cost)
	if d.Allowed() || changed {
		// Ticks before 2006 and after 2041 exceed 2^53. A Lua number rounds them, and so does a float64.
		a.tat = int64(float64((at.nowUS-epochUS)*ticks + wait))
		a.lastMS = at.afterUS(d.ResetAfterUS)
	}
	return d
}

// wait returns the time until the bucket is full, in ticks.
func (g *gcra) wait(at *moment, a *arrival) (wait int64, changed bool) {
	if a.lastMS == 0 {
		return 0, false
	}
	return g.capped(a.tat-(at.nowUS-epochUS)*ticks, at)
}

// bucket holds capacity tokens of w units each. It gets l units back every µs.
type bucket struct{ capacity, w, l int64 }

// take decides a request if used units are missing from the bucket. It returns how many are missing afterwards.
func (b *bucket) take(used, cost int64) (int64, limit.Decision) {
	var d limit.Decision
	full, after := b.capacity*b.w, used+min(cost, b.capacity)*b.w
	switch {
	case cost > b.capacity:
		d.RetryAfterUS = limit.Never
	case after > full:
		d.RetryAfterUS = ceilDiv(after-full, b.l)
	default:
		d.Verdict, used = limit.Allowed, after
	}
	d.Remaining, d.ResetAfterUS = max(0, full-used)/b.w, ceilDiv(used, b.l)
	return used, d
}

// capped returns the missing units, at most all of the bucket. More than that is possible after a step back of the
// clock or a change of the limit.
func (b *bucket) capped(used int64, at *moment) (capped int64, changed bool) {
	if full := b.capacity * b.w; used > full+at.clock.marginUS()*b.l {
		return full, true
	}
	return max(0, used), false
}

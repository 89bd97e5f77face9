package algorithms

import (
	"math"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:   "gcra",
	Family: "bucket",
	Colour: "#cc79a7", // reddish purple
	State:  "one timestamp, when the bucket will be full again, and the rate that it goes by",
	Rule:   "every permit moves the timestamp on by W/L, and it may lie at most B·W/L ahead of now",
	Bound:  "N(τ) ≤ B + r·τ, where N(τ) is the cost admitted in any interval of length τ, and r = L/W",
	Sources: []string{
		"ITU-T I.371 (2004), annex A",
		"https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm",
	},
	Parameters: withClock("server", burstParameter),
	Prepare: func(p limit.Policy, v Values) (Limiter, error) {
		return prepareGCRA(p, v, func(g gcra) rule[arrival] { return &g })
	},
})

var burstParameter = Parameter{Name: "burst", Kind: Integer, Low: 1, High: limit.MaxRequests,
	Default: "the limit's burst", Doc: "the capacity: how much is admitted at once", Role: Capacity}

// prepareGCRA is Prepare for the algorithms that keep one timestamp.
func prepareGCRA(p limit.Policy, v Values, makeRule func(gcra) rule[arrival]) (Limiter, error) {
	c := v.clock("server")
	burst := v.Integer("burst", p.Capacity())
	w, l := p.Interval()
	if err := exactBucket(burst, w, l); err != nil {
		return Limiter{}, err
	}
	g := gcra{burst: burst, w: w, l: l, full: burst * w, spanUS: burst * w / l}
	return c.limiter(decimal(burst, w, l), refilling(burst, w, l), newModel[arrival](c, makeRule(g))), nil
}

// exactBucket says whether a continuous bucket of burst permits, one for each w/l µs, is counted exactly. The models
// count in units of 1/l µs, in an int64; the scripts, where these pass 2^53, in whole µs and such units.
func exactBucket(burst, w, l int64) error {
	filling, _ := limit.Quotient(burst, w, l, math.MaxInt64)
	if product(burst, w) >= 1<<62 || product(burst+1, l) >= limit.MaxExact {
		return exactProduct("burst * us per permit (a reduced fraction's numerator)", burst, w, l,
			"choose a smaller burst, or requests that share more factors with the window")
	}
	return withinSpan("filling the bucket", 1, filling)
}

// gcra is GCRA in exact integers. One permit takes w/l µs to come back.
type gcra struct {
	burst, w, l int64
	full        int64 // burst·w: the whole bucket in units of 1/l µs
	spanUS      int64 // the same in whole µs, rounded down
}

// arrival is the theoretical arrival time: tatUS, and rest/l µs, where a permit took w/l µs to come back.
type arrival struct {
	life
	tatUS, rest, w, l int64
}

func (a *arrival) reset() { *a = arrival{} }

func (a *arrival) clone() arrival { return *a }

// until is the time from nowUS to a, in µs and 1/l µs; none where a has passed. Where a was written under another
// rate, as many permits are used up now as were, in the time that they take under this one: rounded up to the
// microsecond, and at most a whole bucket. The script's doubles are rounded as these are.
func (g *gcra) until(a *arrival, nowUS int64) (wait, rest int64, changed bool) {
	switch {
	case a.w == 0 || a.tatUS < nowUS:
		return 0, 0, false
	case a.w == g.w && a.l == g.l:
		return a.tatUS - nowUS, a.rest, false
	}
	was := float64(a.tatUS-nowUS) + float64(a.rest)/float64(a.l)
	longer := (float64(a.l) * float64(g.w)) / (float64(a.w) * float64(g.l))
	whole := math.Ceil(float64(g.burst) * float64(g.w) / float64(g.l))
	return int64(min(math.Ceil(was*longer), whole)), 0, true
}

// decide admits what leaves the TAT at most the whole bucket ahead. A change of the rate is written even where
// nothing is admitted: until it is, the old one goes on.
func (g *gcra) decide(at *moment, a *arrival, cost int64) limit.Decision {
	wait, rest, changed := g.until(a, at.nowUS)
	used := g.used(wait, rest)
	if cost <= g.burst && used+cost*g.w <= g.full {
		after := used + cost*g.w
		resetUS := g.write(at, a, after/g.l, after%g.l, used > 0 && !changed)
		return limit.Decision{Verdict: limit.Allowed, Remaining: (g.full - after) / g.w, ResetAfterUS: resetUS}
	}
	d := limit.Decision{Remaining: max(0, g.full-used) / g.w, RetryAfterUS: limit.Never,
		ResetAfterUS: roundUp(wait, rest)}
	if cost <= g.burst {
		d.RetryAfterUS = wait - floorDiv(g.full-cost*g.w-rest, g.l)
	}
	if changed {
		g.write(at, a, wait, rest, false)
	}
	return d
}

// write moves a to so long after now, and gives that time rounded up. By the server's time the key lives a whole number
// of seconds from now, so that it outlives the second in which the bucket will be full; where it goes on from what was
// there, and that is the same second as before, it keeps its expiry.
func (g *gcra) write(at *moment, a *arrival, wait, rest int64, goesOn bool) (resetUS int64) {
	resetUS = roundUp(wait, rest)
	tatUS := at.nowUS + wait
	lastMS := a.lastMS
	switch second := floorDiv(tatUS, secondUS); {
	case at.clock.client:
		lastMS = at.afterUS(resetUS)
	case !goesOn || second != floorDiv(a.tatUS, secondUS):
		lastMS = at.nowMS + (second+1-floorDiv(at.nowUS, secondUS))*1000
	}
	*a = arrival{life{lastMS}, tatUS, rest, g.w, g.l}
	return resetUS
}

// used is how much of the bucket is gone, in units of 1/l µs. After a step back of the clock it can be more than
// the bucket; how much more makes no difference, and might not fit an integer.
func (g *gcra) used(wait, rest int64) int64 {
	if wait > g.spanUS {
		return g.full + 1
	}
	return wait*g.l + rest
}

const secondUS = 1_000_000

// roundUp is wait, and a µs more where there is a rest.
func roundUp(wait, rest int64) int64 {
	if rest > 0 {
		wait++
	}
	return wait
}

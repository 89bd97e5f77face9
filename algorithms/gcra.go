package algorithms

import (
	"math"

	"ratelab/internal/limit"
)

var _ = register(Spec{
	Name:   "gcra",
	Family: "bucket",
	Colour: "#cc79a7", // reddish purple
	State:  "one timestamp, when the bucket will be full again",
	Rule:   "every permit moves the timestamp on by W/L, and it may lie at most B·W/L ahead of now",
	Bound:  "N(τ) ≤ B + r·τ, where N(τ) is the cost admitted in any interval of length τ, and r = L/W",
	Sources: []string{
		"ITU-T I.371 (2004), annex A",
		"https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm",
	},
	Parameters: withClock("server", burstParameter),
	Traits:     Traits{Timed: true},
	Prepare: func(p limit.Policy, v Values) (Instance, error) {
		return prepareGCRA(p, v, func(g gcra) model { return &g })
	},
})

var burstParameter = Parameter{Name: "burst", Kind: Integer, Low: 1, High: limit.MaxRequests,
	Default: "the limit's burst", Doc: "the capacity: how much is admitted at once", Role: Capacity}

// prepareGCRA is Prepare for the algorithms that keep one timestamp.
func prepareGCRA(p limit.Policy, v Values, makeModel func(gcra) model) (Instance, error) {
	c, err := v.clock("server")
	if err != nil {
		return Instance{}, err
	}
	burst := v.Integer("burst", p.Capacity())
	w, l := p.Interval()
	if err := exactBucket(burst, w, l); err != nil {
		return Instance{}, err
	}
	return c.instance(decimal(burst, w, l), refilling(burst, w, l),
		func() model { return makeModel(newGCRA(c, burst, w, l)) }), nil
}

// exactBucket says whether a continuous bucket of burst permits, one for each w/l µs, is counted exactly. The models
// count in units of 1/l µs, in an int64; the scripts, where these pass 2^53, in whole µs and such units.
func exactBucket(burst, w, l int64) error {
	filling, _ := quotient(burst, w, l, math.MaxInt64)
	units, _ := quotient(burst, w, 1, math.MaxInt64)
	if units >= 1<<62 || !limit.ExactProduct(burst+1, l) || (burst+1)*l == limit.MaxExact {
		return exactProduct("burst * us per permit (a reduced fraction's numerator)", burst, w, l,
			"choose a smaller burst, or requests that share more factors with the window")
	}
	return withinSpan("filling the bucket", 1, filling)
}

// gcra is the model: GCRA in exact integers. One permit takes w/l µs to come back.
type gcra struct {
	burst, w, l int64
	full        int64 // burst·w: the whole bucket in units of 1/l µs
	spanUS      int64 // the same in whole µs, rounded down
	store       store[arrival, *arrival]
}

// arrival is the theoretical arrival time: tatUS, and rest/l µs, which is written where there can be one. Redis keeps
// it through lastMS.
type arrival struct {
	tatUS, rest, lastMS int64
	fine                bool // it was written with its rest
}

func (a *arrival) expire(nowMS int64) (gone bool) {
	if a.lastMS >= nowMS {
		return false
	}
	*a = arrival{}
	return true
}

func (a *arrival) clone() arrival { return *a }

// until is the time from nowUS to a, in µs and 1/l µs; none where a has passed. A rest that is none under this l was
// left by a larger one, and is rounded up.
func (a *arrival) until(nowUS, l int64) (wait, rest int64) {
	tatUS, rest := a.tatUS, a.rest
	if rest >= l {
		tatUS, rest = tatUS+1, 0
	}
	if tatUS < nowUS {
		return 0, 0
	}
	return tatUS - nowUS, rest
}

func newGCRA(c clock, burst, w, l int64) gcra {
	return gcra{burst: burst, w: w, l: l, full: burst * w, spanUS: burst * w / l, store: newStore[arrival](c)}
}

// alone is g with a copy of key's state.
func (g *gcra) alone(key string) gcra {
	f := *g
	f.store = g.store.fork(key)
	return f
}

// Decide admits what leaves the TAT at most the whole bucket ahead.
func (g *gcra) Decide(nowUS int64, key string, cost int64) limit.Decision {
	a := g.store.of(key, nowUS)
	wait, rest := a.until(nowUS, g.l)
	used := g.used(wait, rest)
	if cost <= g.burst && used+cost*g.w <= g.full {
		after := used + cost*g.w
		wait, rest = after/g.l, after%g.l
		resetUS := roundUp(wait, rest)
		lastMS := g.store.bucketMS(nowUS, nowUS+wait, resetUS)
		if used > 0 && a.fine == (g.l > 1) {
			lastMS = g.store.clock.keptMS(a.tatUS, a.lastMS, nowUS+wait, lastMS)
		}
		*a = arrival{nowUS + wait, rest, lastMS, g.l > 1}
		return limit.Decision{Verdict: limit.Allowed, Remaining: (g.full - after) / g.w, ResetAfterUS: resetUS}
	}
	d := limit.Decision{Remaining: max(0, g.full-used) / g.w, RetryAfterUS: limit.Never,
		ResetAfterUS: roundUp(wait, rest)}
	if cost <= g.burst {
		d.RetryAfterUS = wait - floorDiv(g.full-cost*g.w-rest, g.l)
	}
	return d
}

// DecideAt decides by the clock that the rule goes by; the key expires by the server's.
func (g *gcra) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return decideAt(g, &g.store, serverUS, clientUS, key, cost)
}

// Fork is a model that knows key alone, in a copy of its state.
func (g *gcra) Fork(key string) limit.Limiter {
	f := g.alone(key)
	return &f
}

// used is how much of the bucket is gone, in units of 1/l µs. After a step back of the clock it can be more than
// the bucket; how much more makes no difference, and might not fit an integer.
func (g *gcra) used(wait, rest int64) int64 {
	if wait > g.spanUS {
		return g.full + 1
	}
	return wait*g.l + rest
}

// roundUp is wait, and a µs more where there is a rest.
func roundUp(wait, rest int64) int64 {
	if rest > 0 {
		wait++
	}
	return wait
}

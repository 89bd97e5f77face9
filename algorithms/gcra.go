package algorithms

import "ratelab/internal/limit"

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

// exactBucket says whether a continuous bucket of burst permits, one for each w/l µs, can be counted exactly.
func exactBucket(burst, w, l int64) error {
	err := exactProduct("burst * us per permit (a reduced fraction's numerator)", burst, w, l,
		"choose a smaller burst, or requests that share more factors with the window")
	if err != nil {
		return err
	}
	return withinSpan("filling the bucket", 1, burst*w/l)
}

// gcra is the model: GCRA in exact integers. One permit takes w/l µs to come back.
type gcra struct {
	burst, w, l int64
	full        int64 // burst·w: the whole bucket in units of 1/l µs
	spanUS      int64 // the same in whole µs, rounded down
	store       store[arrival, *arrival]
}

// arrival is the theoretical arrival time: tatUS, and rest/l µs. Redis keeps it through lastMS.
type arrival struct{ tatUS, rest, lastMS int64 }

func (a *arrival) expire(nowMS int64) (gone bool) {
	if a.lastMS >= nowMS {
		return false
	}
	*a = arrival{}
	return true
}

func (a *arrival) clone() arrival { return *a }

// until is the time from nowUS to a, in µs and 1/l µs; none where a has passed.
func (a *arrival) until(nowUS int64) (wait, rest int64) {
	if a.tatUS < nowUS {
		return 0, 0
	}
	return a.tatUS - nowUS, a.rest
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
	wait, rest := a.until(nowUS)
	used := g.used(wait, rest)
	if cost <= g.burst && used+cost*g.w <= g.full {
		after := used + cost*g.w
		wait, rest = after/g.l, after%g.l
		resetUS := roundUp(wait, rest)
		lastMS := g.store.bucketMS(nowUS, nowUS+wait, resetUS)
		if used > 0 {
			lastMS = g.store.clock.keptMS(a.tatUS, a.lastMS, nowUS+wait, lastMS)
		}
		*a = arrival{nowUS + wait, rest, lastMS}
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

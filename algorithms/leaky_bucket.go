package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:   "leaky-bucket",
	Family: "shaper",
	State:  "one timestamp, the next free departure",
	Rule:   "a queue of B places drained at one per W/L; a request is admitted with its delay, or rejected when it is full",
	Bound:  "departures at least W/L apart, first in first out; delay ≤ (B − 1)·W/L; arrivals admitted: N(τ) ≤ B + r·τ",
	Sources: []string{
		"J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986",
		"https://en.wikipedia.org/wiki/Leaky_bucket",
	},
	Parameters: withClock("server", burstParameter),
	Prepare: func(p limit.Policy, v Values) (Instance, error) {
		return prepareGCRA(p, v, func(g gcra) rule { return &leakyBucket{g} })
	},
})

// leakyBucket is the model. Its queue is the gcra's bucket seen from below: what is used up are those who wait.
type leakyBucket struct{ gcra gcra }

func (b *leakyBucket) fork(key string) rule { return &leakyBucket{b.gcra.alone(key)} }

// decide admits as gcra does; a request leaves when all before it have.
func (b *leakyBucket) decide(serverUS, nowUS int64, key string, cost int64) limit.Decision {
	delay := roundUp(b.gcra.store.of(key, serverUS).until(nowUS))
	d := b.gcra.decide(serverUS, nowUS, key, cost)
	if d.Allowed() {
		d.DelayUS = delay
	}
	return d
}

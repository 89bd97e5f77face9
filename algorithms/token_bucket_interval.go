package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:   "token-bucket-interval",
	Family: "bucket",
	Colour: "#665511", // olive
	State:  "the time up to which intervals have been paid, the tokens, the interval, and the last admission",
	Rule: "q tokens at the end of every whole interval I, up to the capacity C; a request takes its cost or is " +
		"rejected",
	Bound:      "N(τ) ≤ C + q·⌈τ/I⌉",
	Sources:    []string{"https://en.wikipedia.org/wiki/Token_bucket"},
	Parameters: withClock("client", intervalParameters...),
	Traits:     Traits{Grid: true, Forgets: true, LifeMS: untilReset},
	Prepare: func(p limit.Policy, v Values) (Instance, error) {
		b, err := prepareInterval(p, v)
		if err != nil {
			return Instance{}, err
		}
		return b.instance(decimal(b.capacity, b.refill, b.intervalUS), 0, func() model {
			return &tokenBucketInterval{newIntervalBucket(b, 0)}
		}), nil
	},
})

// tokenBucketInterval is the model of a bucket that does not lend.
type tokenBucketInterval struct{ bucket intervalBucket }

// Decide takes the cost from what whole intervals have brought.
func (t *tokenBucketInterval) Decide(nowUS int64, key string, cost int64) limit.Decision {
	b := &t.bucket
	s := b.store.of(key, nowUS)
	now := b.refilled(s, nowUS)
	if cost <= now.tokens {
		now.tokens -= cost
		*s = b.until(now, nowUS, b.capacity)
		return limit.Decision{Verdict: limit.Allowed, Remaining: now.tokens,
			ResetAfterUS: b.wait(now, b.capacity, nowUS)}
	}
	d := limit.Decision{Remaining: now.tokens, RetryAfterUS: limit.Never, ResetAfterUS: b.wait(now, b.capacity, nowUS)}
	if cost <= b.capacity {
		d.RetryAfterUS = b.wait(now, cost, nowUS)
	}
	return d
}

// DecideAt decides by the clock that the rule goes by; the key expires by the server's.
func (t *tokenBucketInterval) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return decideAt(t, &t.bucket.store, serverUS, clientUS, key, cost)
}

// Fork is a model that knows key alone, in a copy of its state.
func (t *tokenBucketInterval) Fork(key string) limit.Limiter {
	return &tokenBucketInterval{t.bucket.alone(key)}
}

package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:       "token-bucket-interval",
	Family:     "bucket",
	State:      "the time up to which intervals have been paid, and the tokens",
	Rule:       "q tokens at the end of every whole interval I, up to the capacity C; a request takes its cost or is rejected",
	Bound:      "N(τ) ≤ C + q·⌈τ/I⌉",
	Sources:    []string{"https://en.wikipedia.org/wiki/Token_bucket"},
	Parameters: withClock("client", intervalParameters...),
	Prepare: func(p limit.Policy, v Values) (Instance, error) {
		b, err := prepareInterval(p, v)
		if err != nil {
			return Instance{}, err
		}
		return b.instance(decimal(b.capacity, b.refill, b.intervalUS), 0, func() limit.Limiter {
			return &tokenBucketInterval{newIntervalBucket(b)}
		}), nil
	},
})

// tokenBucketInterval is the model of a bucket that does not lend.
type tokenBucketInterval struct{ bucket intervalBucket }

// Decide takes the cost from what whole intervals have brought.
func (t *tokenBucketInterval) Decide(nowUS int64, key string, cost int64) limit.Decision {
	b := &t.bucket
	s := b.store.of(key, nowUS)
	clientUS := b.clock.read(nowUS)
	now := b.refilled(s, nowUS, clientUS)
	if cost <= now.tokens {
		now.tokens -= cost
		*s = b.until(now, nowUS, clientUS, b.capacity)
		return limit.Decision{Verdict: limit.Allowed, Remaining: now.tokens, ResetAfterUS: b.wait(now, b.capacity, clientUS)}
	}
	d := limit.Decision{Remaining: now.tokens, RetryAfterUS: limit.Never, ResetAfterUS: b.wait(now, b.capacity, clientUS)}
	if cost <= b.capacity {
		d.RetryAfterUS = b.wait(now, cost, clientUS)
	}
	return d
}

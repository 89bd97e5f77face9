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
		return b.instance(decimal(b.capacity, b.refill, b.intervalUS), 0, func() rule {
			return &tokenBucketInterval{newIntervalBucket(b)}
		}), nil
	},
})

// tokenBucketInterval is the model of a bucket that does not lend.
type tokenBucketInterval struct{ bucket intervalBucket }

func (t *tokenBucketInterval) fork(key string) rule { return &tokenBucketInterval{t.bucket.alone(key)} }

// decide takes the cost from what whole intervals have brought.
func (t *tokenBucketInterval) decide(serverUS, nowUS int64, key string, cost int64) limit.Decision {
	b := &t.bucket
	s := b.store.of(key, serverUS)
	now := b.refilled(s, nowUS)
	if cost <= now.tokens {
		now.tokens -= cost
		*s = b.until(now, nowUS, b.capacity)
		return limit.Decision{Verdict: limit.Allowed, Remaining: now.tokens, ResetAfterUS: b.wait(now, b.capacity, nowUS)}
	}
	d := limit.Decision{Remaining: now.tokens, RetryAfterUS: limit.Never, ResetAfterUS: b.wait(now, b.capacity, nowUS)}
	if cost <= b.capacity {
		d.RetryAfterUS = b.wait(now, cost, nowUS)
	}
	return d
}

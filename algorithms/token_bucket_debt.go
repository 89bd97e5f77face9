package algorithms

import (
	"fmt"

	"ratelab/internal/limit"
)

var _ = register(Spec{
	Name:   "token-bucket-debt",
	Family: "bucket",
	Colour: "#225533", // dark green
	State: "the time up to which intervals have been paid, the tokens, which may be negative, the interval, " +
		"and the last admission",
	Rule:  "as token-bucket-interval, but passes while the balance is positive, and the balance may go down to −debt",
	Bound: "N(τ) ≤ C + (largest cost − 1) + q·⌈τ/I⌉",
	Sources: []string{
		"https://en.wikipedia.org/wiki/Token_bucket",
		"https://pkg.go.dev/golang.org/x/time/rate",
	},
	Parameters: withClock("client", append(intervalParameters[:len(intervalParameters):len(intervalParameters)],
		Parameter{Name: "debt", Kind: Integer, Low: 0, High: limit.MaxRequests - 1, Default: "the capacity − 1",
			Doc: "how far below zero the balance may go; less than the capacity"})...),
	Traits: Traits{Grid: true, Lends: true, Forgets: true, LifeMS: untilReset},
	Prepare: func(p limit.Policy, v Values) (Instance, error) {
		b, err := prepareInterval(p, v)
		if err != nil {
			return Instance{}, err
		}
		debt := v.Integer("debt", b.capacity-1)
		if debt >= b.capacity {
			return Instance{}, fmt.Errorf("debt %d: want less than the capacity, %d", debt, b.capacity)
		}
		if err := b.checkSpan(b.capacity + debt); err != nil {
			return Instance{}, err
		}
		return b.instance(decimal(b.capacity, b.refill, b.intervalUS, debt), debt, func() model {
			return &tokenBucketDebt{newIntervalBucket(b, debt)}
		}), nil
	},
})

// tokenBucketDebt is the model of a bucket that lends.
type tokenBucketDebt struct{ bucket intervalBucket }

// takes is what one request could take from a balance of tokens.
func (t *tokenBucketDebt) takes(tokens int64) int64 {
	if tokens <= 0 {
		return 0
	}
	return min(t.bucket.capacity, tokens+t.bucket.debt)
}

// Decide takes the cost from a positive balance.
func (t *tokenBucketDebt) Decide(nowUS int64, key string, cost int64) limit.Decision {
	b := &t.bucket
	s := b.store.of(key, nowUS)
	now := b.refilled(s, nowUS)
	if cost <= t.takes(now.tokens) {
		now.tokens -= cost
		*s = b.until(now, nowUS, b.capacity-now.tokens)
		return limit.Decision{Verdict: limit.Allowed, Remaining: t.takes(now.tokens),
			ResetAfterUS: b.wait(now, b.capacity, nowUS)}
	}
	d := limit.Decision{Remaining: t.takes(now.tokens), RetryAfterUS: limit.Never,
		ResetAfterUS: b.wait(now, b.capacity, nowUS)}
	if cost <= b.capacity {
		d.RetryAfterUS = b.wait(now, max(1, cost-t.bucket.debt), nowUS)
	}
	return d
}

// DecideAt decides by the clock that the rule goes by; the key expires by the server's.
func (t *tokenBucketDebt) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return decideAt(t, &t.bucket.store, serverUS, clientUS, key, cost)
}

// Fork is a model that knows key alone, in a copy of its state.
func (t *tokenBucketDebt) Fork(key string) limit.Limiter {
	return &tokenBucketDebt{t.bucket.alone(key)}
}

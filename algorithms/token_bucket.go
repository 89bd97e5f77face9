package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:   "token-bucket",
	Family: "bucket",
	Colour: "#009e73", // bluish green
	State:  "one hash of the configuration and the level with its time; it has no TTL",
	Rule:   "a managed bucket, refilled continuously: init, acquire for an application on its list, delete",
	Bound:  "N(τ) ≤ B + r·τ; decides as gcra while time does not run backwards",
	Sources: []string{
		"J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986",
		"https://en.wikipedia.org/wiki/Token_bucket",
	},
	Parameters: withClock("server", burstParameter, Parameter{Name: "application", Kind: Name, Default: "ratelab",
		Doc: "the application that the bucket is configured for, and that acquires"}),
	Traits: Traits{Forgets: true},
	Prepare: func(p limit.Policy, v Values) (Limiter, error) {
		c := v.clock("server")
		burst, application := v.Integer("burst", p.Capacity()), v.Word("application", "ratelab")
		w, l := p.Interval()
		if err := exactBucket(burst, w, l); err != nil {
			return Limiter{}, err
		}
		in := c.limiter([]string{"acquire", application}, refilling(burst, w, l),
			newModel[managed](c, &configuredBucket{configuration{burst, w, l}}))
		in.Init = append(append([]string{"init"}, decimal(burst, w, l)...), application)
		in.Delete = []string{"delete"}
		return in, nil
	},
})

// configuredBucket is the rule: each key is configured before its first request, and anew where it finds another
// configuration, which fills the bucket.
type configuredBucket struct{ configuration }

// configuration says that capacity permits fit, and one comes back every w/l µs.
type configuration struct{ capacity, w, l int64 }

// managed is one bucket; without a capacity there is none. Its level is in units of 1/w permit, and was so at lastUS; a
// zero lastUS stands for a full bucket.
type managed struct {
	configuration
	level, lastUS int64
}

// over is never where something was configured: it lives until it is deleted, so that memory grows with the buckets, in
// the model as in Redis.
func (b *managed) over(int64) bool { return b.capacity == 0 }

func (b *managed) reset() { *b = managed{} }

func (b *managed) clone() managed { return *b }

// decide takes cost permits.
func (c *configuredBucket) decide(at *moment, b *managed, cost int64) limit.Decision {
	if b.configuration != c.configuration {
		*b = managed{configuration: c.configuration}
	}
	level, early := b.at(at.nowUS)
	if cost <= b.capacity && cost*b.w <= level {
		level -= cost * b.w
		resetUS := b.filling(level, early)
		b.level, b.lastUS = level, at.nowUS+early
		return limit.Decision{Verdict: limit.Allowed, Remaining: level / b.w, ResetAfterUS: resetUS}
	}
	d := limit.Decision{Remaining: level / b.w, RetryAfterUS: limit.Never, ResetAfterUS: b.filling(level, early)}
	if cost <= b.capacity {
		d.RetryAfterUS = early + ceilDiv(cost*b.w-level, b.l)
	}
	return d
}

// at is the level at nowUS, and how long a clock that stepped back is behind the time from which on it rises.
func (b *managed) at(nowUS int64) (level, early int64) {
	full := b.capacity * b.w
	switch elapsed := nowUS - b.lastUS; {
	case b.lastUS == 0 || elapsed > full/b.l:
		return full, 0
	case elapsed < 0:
		return b.level, -elapsed
	default:
		return min(full, b.level+elapsed*b.l), 0
	}
}

// filling is the time until a bucket of that level is full.
func (b *managed) filling(level, early int64) int64 {
	if full := b.capacity * b.w; level < full {
		return early + ceilDiv(full-level, b.l)
	}
	return 0
}

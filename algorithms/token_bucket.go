package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:   "token-bucket",
	Family: "bucket",
	Colour: "#009e73", // bluish green
	State:  "one hash of the configuration and the level with its time; it has no TTL",
	Rule:   "a managed bucket, refilled continuously: init, acquire for an application on its list, delete",
	Bound:  "N(τ) ≤ B + r·τ; decides as gcra, except for rounding",
	Sources: []string{
		"J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986",
		"https://en.wikipedia.org/wiki/Token_bucket",
	},
	Parameters: withClock(burstParameter, Parameter{Name: "application", Kind: Name, Default: "ratelab",
		Doc: "the application that the bucket is configured for, and that acquires"}),
	Traits: Traits{ExactFor: []limit.Contract{limit.ByBucket}, Twin: "gcra", Managed: true},
	Prepare: func(p limit.Policy, v Values) (Rule, error) {
		c := v.clock()
		burst, application := v.Integer("burst", p.Capacity()), v.Word("application", "ratelab")
		w, l := p.Interval()
		err := exactProduct("burst * us per token (a reduced fraction's numerator)", burst, w, 1_000_000*l,
			"choose a smaller burst, or requests that share more factors with the window")
		if err != nil {
			return Rule{}, err
		}
		in := c.limiter([]string{"acquire", application}, refilling(burst, w, l),
			newModel[managed](c, &configuredBucket{bucket{burst, w, l}}))
		in.Init = append(append([]string{"init"}, decimal(burst, w, l)...), application)
		in.Delete = []string{"delete"}
		return in, nil
	},
})

// configuredBucket is the rule. Each key is configured before its first request, and again if its configuration
// differs, which fills the bucket.
type configuredBucket struct{ bucket }

// managed is one bucket. If the capacity is 0, the bucket does not exist. used is the used part at atUS.
type managed struct {
	bucket
	used, atUS int64
}

// over returns false for a configured bucket, which exists until it is deleted. So the memory grows with the buckets,
// in the model as in Redis.
func (b *managed) over(int64) bool { return b.capacity == 0 }

// decide takes cost tokens.
func (c *configuredBucket) decide(at *moment, b *managed, cost int64) limit.Decision {
	b.configure(c.bucket, at)
	return b.acquire(at, cost)
}

// configure fills the bucket if its configuration differs.
func (b *managed) configure(c bucket, at *moment) {
	if b.bucket != c {
		*b = managed{bucket: c, atUS: at.nowUS}
	}
}

// acquire takes cost tokens if there are enough.
func (b *managed) acquire(at *moment, cost int64) limit.Decision {
	most := b.capacity*b.w/b.l + at.clock.marginUS() + 1 // in µs; a longer time has the same effect, and might overflow
	used, changed := b.capped(b.used-min(max(at.nowUS-b.atUS, -most), most)*b.l, at)
	used, d := b.take(used, cost)
	if d.Allowed() || changed {
		b.used, b.atUS = used, at.nowUS
	}
	return d
}

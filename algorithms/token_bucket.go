package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:   "token-bucket",
	Family: "bucket",
	Colour: "#009e73", // bluish green
	State:  "one hash of the configuration and the level with its time; it has no TTL",
	Rule:   "a managed bucket, refilled continuously: init, acquire for an application on its list, delete",
	Bound:  "N(τ) ≤ B + r·τ; decides as gcra, but for its rounding",
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
		err := exactProduct("burst * us per permit (a reduced fraction's numerator)", burst, w, 1_000_000*l,
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

// configuredBucket is the rule: each key is configured before its first request, and anew where it finds another
// configuration, which fills the bucket.
type configuredBucket struct{ bucket }

// managed is one bucket; without a capacity there is none. used is what was used up of it at atUS.
type managed struct {
	bucket
	used, atUS int64
}

// over is never where something was configured: it lives until it is deleted, so that memory grows with the buckets, in
// the model as in Redis.
func (b *managed) over(int64) bool { return b.capacity == 0 }

// decide takes cost permits.
func (c *configuredBucket) decide(at *moment, b *managed, cost int64) limit.Decision {
	b.configure(c.bucket, at)
	return b.acquire(at, cost)
}

// configure fills the bucket where the configuration is another one.
func (b *managed) configure(c bucket, at *moment) {
	if b.bucket != c {
		*b = managed{bucket: c, atUS: at.nowUS}
	}
}

// acquire takes cost permits, or none: then it says what there is.
func (b *managed) acquire(at *moment, cost int64) limit.Decision {
	most := b.capacity*b.w/b.l + at.clock.marginUS() + 1 // µs, more than which do not matter, and might not fit
	used, changed := b.capped(b.used-min(max(at.nowUS-b.atUS, -most), most)*b.l, at)
	used, d := b.take(used, cost)
	if d.Allowed() || changed {
		b.used, b.atUS = used, at.nowUS
	}
	return d
}

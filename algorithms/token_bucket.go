package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:   "token-bucket",
	Family: "bucket",
	State:  "a hash with the configuration, and the level with its time",
	Rule:   "a managed bucket, refilled continuously: init, acquire for an application on its list, delete",
	Bound:  "N(τ) ≤ B + r·τ; decides as gcra while time does not run backwards",
	Sources: []string{
		"J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986",
		"https://en.wikipedia.org/wiki/Token_bucket",
	},
	Parameters: withClock("server", burstParameter, Parameter{Name: "application", Kind: Name, Default: "ratelab",
		Doc: "the application that the bucket is configured for, and that acquires"}),
	Prepare: func(p limit.Policy, v Values) (Instance, error) {
		c, err := v.clock("server")
		if err != nil {
			return Instance{}, err
		}
		burst, application := v.Integer("burst", p.Capacity()), v.Word("application", "ratelab")
		w, l := p.Interval()
		if err := exactBucket(burst, w, l); err != nil {
			return Instance{}, err
		}
		in := c.instance([]string{"acquire", application}, refilling(burst, w, l), func() rule {
			return &configuredBucket{configuration{burst, w, l}, application, listed(application), newManagedBuckets(c)}
		})
		in.Init = append(append([]string{"init"}, decimal(burst, w, l)...), application)
		return in, nil
	},
})

// configuredBucket is the model that a run sees: each key is configured before its first request.
type configuredBucket struct {
	configuration
	application string
	list        applications
	buckets     *managedBuckets
}

func (c *configuredBucket) fork(key string) rule {
	return &configuredBucket{c.configuration, c.application, c.list, c.buckets.fork(key)}
}

// decide acquires.
func (c *configuredBucket) decide(serverUS, nowUS int64, key string, cost int64) limit.Decision {
	b := c.buckets.store.of(key, serverUS)
	if b.applications == nil {
		c.buckets.init(serverUS, nowUS, key, c.configuration, c.list)
	}
	return c.buckets.acquire(serverUS, nowUS, key, cost, c.application)
}

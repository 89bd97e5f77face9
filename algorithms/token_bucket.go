package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
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
		in := c.instance([]string{"acquire", application}, refilling(burst, w, l), func() model {
			return &configuredBucket{configuration{burst, w, l}, application, listed(application), newManagedBuckets(c)}
		})
		in.Init = append(append([]string{"init"}, decimal(burst, w, l)...), application)
		in.Delete = []string{"delete"}
		return in, nil
	},
})

// configuredBucket is the model that a run sees: each key is configured before its first request, and anew where it
// finds another configuration.
type configuredBucket struct {
	configuration
	application string
	list        applications
	buckets     *managedBuckets
}

// Decide acquires.
func (c *configuredBucket) Decide(nowUS int64, key string, cost int64) limit.Decision {
	b := c.buckets.store.of(key, nowUS)
	if b.applications == nil || b.configuration != c.configuration {
		c.buckets.init(nowUS, key, c.configuration, c.list)
	}
	return c.buckets.acquire(nowUS, key, cost, c.application)
}

// DecideAt decides by the clock that the rule goes by; the key expires by the server's.
func (c *configuredBucket) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return decideAt(c, &c.buckets.store, serverUS, clientUS, key, cost)
}

// Fork is a model that knows key alone, in a copy of its state.
func (c *configuredBucket) Fork(key string) limit.Limiter {
	return &configuredBucket{c.configuration, c.application, c.list, c.buckets.fork(key)}
}

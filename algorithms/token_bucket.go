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
		in := c.instance([]string{"acquire", application}, refilling(burst, w, l),
			newModel[managed](c, &configuredBucket{configuration{burst, w, l}, application, listed(application)}))
		in.Init = append(append([]string{"init"}, decimal(burst, w, l)...), application)
		in.Delete = []string{"delete"}
		return in, nil
	},
})

// configuredBucket is the rule that a run sees: each key is configured before its first request, and anew where it
// finds another configuration.
type configuredBucket struct {
	configuration
	application string
	list        applications
}

// decide acquires.
func (c *configuredBucket) decide(at *moment, b *managed, cost int64) limit.Decision {
	if b.applications == nil || b.configuration != c.configuration {
		b.init(at.nowUS, c.configuration, c.list)
	}
	return b.acquire(at.nowUS, cost, c.application)
}

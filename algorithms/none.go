package algorithms

import "ratelab/internal/limit"

var _ = register(Spec{
	Name:    "none",
	Family:  "floor",
	State:   "none",
	Rule:    "admits everything: what the harness and the round trip cost",
	Bound:   "none",
	Sources: []string{"https://redis.io/docs/latest/develop/programmability/eval-intro/"},
	Prepare: func(limit.Policy, Values) (Instance, error) {
		return Instance{NewModel: func() limit.Limiter { return newModel(unlimited{}) }}, nil
	},
})

// unlimited is the model of none. What remains has no end; it says the largest count that a script can.
type unlimited struct{}

func (unlimited) fork(string) rule { return unlimited{} }

// decide admits.
func (unlimited) decide(int64, int64, string, int64) limit.Decision {
	return limit.Decision{Verdict: limit.Allowed, Remaining: limit.MaxExact}
}

package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:    "none",
	Family:  "floor",
	Colour:  "#bebebe", // light grey
	State:   "none",
	Rule:    "admits everything: what the harness and the round trip cost",
	Bound:   "none",
	Sources: []string{"https://redis.io/docs/latest/develop/programmability/eval-intro/"},
	Prepare: func(limit.Policy, Values) (Rule, error) {
		return Rule{NewModel: func() limit.Model { return unlimited{} }}, nil
	},
})

// unlimited is the model of none. What remains has no end; it says the largest count that a script can.
type unlimited struct{}

func (unlimited) Decide(_, _ int64, _ string, _ int64) limit.Decision {
	return limit.Decision{Verdict: limit.Allowed, Remaining: limit.MaxExact}
}

func (u unlimited) Fork(string) limit.Model { return u }

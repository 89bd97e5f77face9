package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:    "none",
	Family:  "floor",
	Colour:  "#bebebe", // light grey
	State:   "none",
	Rule:    "admits everything; shows the cost of the harness and of the round trip",
	Bound:   "none",
	Sources: []string{"https://redis.io/docs/latest/develop/programmability/eval-intro/"},
	Prepare: func(limit.Policy, Values) (Rule, error) {
		return Rule{NewModel: func() limit.Model { return unlimited{} }}, nil
	},
})

// unlimited is the model of the algorithm "none". Its Remaining is the largest count that a script can return.
type unlimited struct{}

func (unlimited) Decide(_, _ int64, _ string, _ int64) limit.Decision {
	return limit.Decision{Verdict: limit.Allowed, Remaining: limit.MaxExact}
}

func (u unlimited) Fork(string) limit.Model { return u }

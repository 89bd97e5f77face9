package algorithms

import "ratelab/internal/limit"

var _ = register(Algorithm{
	Name:   "token-bucket-debt",
	Family: "bucket",
	Colour: "#225533", // dark green
	State:  "the time up to which intervals have been paid, the tokens, which may be negative, and the interval",
	Rule:   "as token-bucket-interval, but passes while the balance is positive, and the balance may go down to −debt",
	Bound:  "N(τ) ≤ C + (largest cost − 1) + q·⌈τ/I⌉",
	Sources: []string{
		"https://en.wikipedia.org/wiki/Token_bucket",
		"https://pkg.go.dev/golang.org/x/time/rate",
	},
	Parameters: withClock(append(intervalParameters[:len(intervalParameters):len(intervalParameters)],
		Parameter{Name: "debt", Kind: Integer, Low: 0, High: limit.MaxRequests - 1, Default: "the capacity − 1",
			Doc: "how far below zero the balance may go; less than the capacity"})...),
	Traits:  Traits{Twin: "fixed-window-aligned", Grid: true, Lends: true},
	Prepare: prepareInterval(true),
})

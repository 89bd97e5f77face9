package algorithms

var _ = register(Algorithm{
	Name:    "token-bucket-interval",
	Family:  "bucket",
	InWords: "a bucket that is refilled once a window",
	Colour:  "#665511", // olive
	State:   "the time up to which intervals have been paid, the tokens, and the interval",
	Rule: "q tokens at the end of every whole interval I, up to the capacity C; a request takes its cost or is " +
		"rejected",
	Bound:      "N(τ) ≤ C + q·⌈τ/I⌉",
	Sources:    []string{"https://en.wikipedia.org/wiki/Token_bucket"},
	Parameters: withClock(intervalParameters...),
	Traits:     Traits{Twin: "fixed-window-aligned", Grid: true},
	Prepare:    prepareInterval(false),
})

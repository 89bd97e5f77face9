package run

import (
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// What tests look at from within.
var (
	Checked = checked
)

// Describe is what a run of the models says of an outcome.
func Describe(p *Plan, o *replay.Outcome) *result.Run {
	return (&game{Plan: p, engine: models{}}).describe(o)
}

package benchresult

import "ratelab/internal/costresult"

// The labels of what was counted, beside the control.
const (
	CountedBase   = "base"
	CountedHead   = "head"
	CountedPinned = "pinned"
)

// Counted is what the decisions of the sides take in instructions, on each path.
type Counted struct {
	// why nothing was counted; absent where it was
	LeftOut string `json:"left_out,omitempty"`
	// the rows base and head, and pinned where there is one: counted in turns, path by path
	Document *costresult.Document `json:"document,omitempty"`
}

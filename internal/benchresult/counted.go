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
	// the rows base and head, and pinned where there is one: first of all paths, then once more of those whose
	// difference is near to what is tolerated
	Runs []costresult.Document `json:"runs"`
}

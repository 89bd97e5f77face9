package recording

import (
	"slices"
	"testing"
)

// A hundred stalls are one line, so that a single lost reply beside them is seen.
func TestReasonsAreSummedUpByKind(t *testing.T) {
	v := Validity{Reasons: []Reason{
		{"stall", "gcra round 1", "the generator stood still for 14ms"},
		{"drops", "gcra round 2", "1 request was dropped"},
		{"stall", "gcra round 3", "the generator stood still for 90ms"},
	}}
	want := []string{
		"stall (2 times, first) in gcra round 1: the generator stood still for 14ms",
		"drops in gcra round 2: 1 request was dropped",
	}
	if got := v.Summary(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

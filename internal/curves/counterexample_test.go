package curves

import (
	"slices"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// Of three requests under 2 per s, the script admits all and a right limiter the first two. The second key does not
// count with the first one.
func TestCounterexampleByHand(t *testing.T) {
	f := &result.Finding{Limit: result.Limit{Requests: 2, WindowUS: 1_000_000, Burst: 2}}
	if got := Counterexample("mine", f); got != nil {
		t.Errorf("a finding without decisions has charts: %v", got)
	}
	yes, no := limit.Decision{Verdict: limit.Allowed}, limit.Decision{Verdict: limit.Rejected}
	f.Counterexample = &result.Counterexample{Rule: "a sliding window by a log", Requests: []limit.Request{
		{AtUS: 0, Key: "k0", Cost: 1}, {AtUS: 10, Key: "k0", Cost: 1}, {AtUS: 20, Key: "k1", Cost: 1},
		{AtUS: 500_000, Key: "k0", Cost: 1}},
		Script: []limit.Decision{yes, yes, yes, yes}, Right: []limit.Decision{yes, yes, yes, no}}
	charts := Counterexample("mine", f)
	if len(charts) != 2 || charts[0].Drawing != Flow || charts[1].Drawing != Level {
		t.Fatalf("charts %+v", charts)
	}
	flow, window := charts[0], charts[1]
	if c := flow.Curves[0]; total(c.Offered) != 4 || total(c.Values) != 4 || c.Offered[0] != 3 {
		t.Errorf("requests %v, of which %v", c.Offered, c.Values)
	}
	if got := total(flow.Reference.Values); got != 3 {
		t.Errorf("a right limiter admits %d, want 3", got)
	}
	peaks := []int64{window.Curves[0].Top, window.Reference.Top}
	if !slices.Equal(peaks, []int64{3, 2}) || window.EndUS != 750_000 || window.Reference.Label != RightLabel {
		t.Errorf("peaks %v until %d, of %s", peaks, window.EndUS, window.Reference.Label)
	}
}

package chart

import (
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// The picture of a fault holds its words, the rule of the right limiter and the limit. The data has both decisions on
// each request.
func TestPicturesOfFindings(t *testing.T) {
	yes, no := limit.Decision{Verdict: limit.Allowed}, limit.Decision{Verdict: limit.Rejected}
	e := &result.Examination{Algorithm: "mine"}
	f := &result.Finding{Name: "off by one", Text: "admits 3 at once, and the limit is 2",
		Limit: result.Limit{Requests: 2, WindowUS: 1_000_000, Burst: 2}}
	if OfFinding(e, f, "mine.off-by-one") != nil {
		t.Error("a finding without decisions has a picture")
	}
	f.Counterexample = &result.Counterexample{Rule: "a sliding window by a log", Requests: []limit.Request{
		{AtUS: 5, Key: "k0", Cost: 1}, {AtUS: 6, Key: "k0", Cost: 1}, {AtUS: 7, Key: "k0", Cost: 2}},
		Script: []limit.Decision{yes, yes, yes}, Right: []limit.Decision{yes, yes, no}}
	drawn := OfFinding(e, f, "mine.off-by-one")
	show(t, "findings", []*Figure{drawn})
	checkPicture(t, drawn)
	text := strings.ReplaceAll(words(t, drawn), "\n", " ")
	for _, want := range []string{"mine: off by one: admits 3 at once, and the limit is 2", "Limit 2 per second.",
		"The right limiter is a sliding window by a log.", "tokens in the last second", "mine.off-by-one.yaml"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if want := "t_us,key,cost,admitted,right\n5,k0,1,1,1\n6,k0,1,1,1\n7,k0,2,1,0\n"; string(drawn.Data) != want {
		t.Errorf("data %s", drawn.Data)
	}
}

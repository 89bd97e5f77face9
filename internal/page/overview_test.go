package page

import (
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// What clients or wrong clocks do to an algorithm is no reason to call it strict or lax: the answer at the top goes by
// the scenarios that compare like with like, and says so where others are on the page.
func TestTheAnswerComparesLikeWithLike(t *testing.T) {
	within := func(name string, overshoot float64) report.Run {
		return report.Run{Scenario: name,
			Results: []report.Row{{Algorithm: "log",
				Figures: measure.Figures{Result: measure.Result{Offered: 1, Overshoot: overshoot}}}}}
	}
	stepped := within("stepped", 2)
	stepped.Results[0].ClockEffect = &measure.ClockEffect{}
	reacting := within("reacting", 2)
	reacting.ClientGroups = []string{"clients"}
	for want, runs := range map[string][]report.Run{
		"Over 2 scenarios log keeps the limit": {within("a", 1), within("b", 1)},
		"Over 2 scenarios no algorithm keeps":  {within("a", 1), within("b", 2)},
		"Over 1 scenario in which all algorithms meet the same requests and every clock is right, " +
			"log keeps": {within("a", 1), stepped, reacting},
		"": {stepped, reacting},
	} {
		doc := &report.Document{Runs: runs}
		got := answer(doc, alike(doc), []string{"log"})
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("got %q, want %q …", got, want)
		}
	}
}

package report

import (
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// A terminal tells of rows that serve their keys unevenly, and of what rows believe where many keys make it an average.
func TestFairnessAndRatesOnATerminal(t *testing.T) {
	uneven := &measure.Fairness{Keys: 40, JainIndex: 0.9312, WorstKey: "k7", WorstServed: 0.5, BestServed: 1.4,
		KeysOver: 3, KeysShort: 1}
	even := &measure.Fairness{Keys: 40, JainIndex: 0.9999, WorstServed: 0.99, BestServed: 1}
	quarter := 0.253
	row := func(name string, f *measure.Fairness, difference *float64) result.Row {
		return result.Row{Algorithm: name, Figures: measure.Figures{Fairness: f, RateDifference: difference,
			Result: measure.Result{OfferedCost: 1000, Excess: 2, ExactCost: 130, Lost: 0.1}}}
	}
	r := result.Run{Keys: 1000, Limit: result.Limit{Requests: 5, WindowUS: 1_000_000}, Results: []result.Row{
		row("none", uneven, nil), row("gcra", uneven, nil), row("sliding-window-counter", even, &quarter),
		row("leaky-bucket", even, nil)}}
	const want = `How evenly the keys are served, against the exact reference
algorithm  Jain's   worst    best   keys  worst-served key
            index  served  served  short
------------------------------------------------------------
gcra       0.9312   50.0%  140.0%      1  k7

What a counting algorithm believes is in use, against what is
algorithm                     mean      wrong
                        difference  decisions
-----------------------------------------------
sliding-window-counter       25.3%       1.5%
`
	if got := tablesOnTerminal(Tables(&r, measure.Table)[1:], Terminal{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	r.Keys = 999
	if got := tablesOnTerminal(Tables(&r, measure.Table)[1:], Terminal{}); strings.Contains(got, "believes") {
		t.Errorf("of few keys:\n%s", got)
	}
}

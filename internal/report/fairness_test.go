package report

import (
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// A terminal shows evenness and beliefs where the scenario expects something of them.
func TestFairnessAndRatesOnATerminal(t *testing.T) {
	uneven := &measure.Fairness{Keys: 40, JainIndex: 0.9312, WorstKey: "k7", WorstServed: 0.5, BestServed: 1.4,
		KeysOver: 3, KeysShort: 1}
	even := &measure.Fairness{Keys: 40, JainIndex: 0.9999, WorstKey: "k1", WorstServed: 0.99, BestServed: 1}
	quarter := 0.253
	row := func(name string, f *measure.Fairness, difference *float64) result.Row {
		return result.Row{Algorithm: name, Figures: measure.Figures{Fairness: f, RateDifference: difference,
			Result: measure.Result{OfferedCost: 1000, Excess: 2, ExactCost: 130, Lost: 0.1}}}
	}
	r := result.Run{Limit: result.Limit{Requests: 5, WindowUS: 1_000_000}, Results: []result.Row{
		row("none", uneven, nil), row("gcra", uneven, nil), row("sliding-window-counter", even, &quarter),
		row("leaky-bucket", even, nil)}}
	if tables := Tables(&r, measure.Table, nil)[1:]; len(tables) != 0 {
		t.Errorf("%d tables, though nothing is expected of them", len(tables))
	}
	r.Expectations = []result.Expectation{{Measure: "fairness.worst_served"}, {Measure: "wrong_share"}}
	const want = `How evenly the keys are served, against the exact reference
limiter                 Jain's   worst    best   keys  worst-served key
                         index  served  served  short
gcra                    0.9312    50 %   140 %      1  k7
sliding-window-counter  0.9999    99 %   100 %      0  k1
leaky-bucket            0.9999    99 %   100 %      0  k1

What a counting algorithm believes is in use, against what is
limiter                       mean      wrong
                        difference  decisions
sliding-window-counter        25 %      1.5 %
`
	if got := tablesOnTerminal(Tables(&r, measure.Table, nil)[1:], Terminal{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

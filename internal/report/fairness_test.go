package report

import (
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// A terminal shows evenness where the scenario expects something of it.
func TestFairnessOnATerminal(t *testing.T) {
	row := func(name, key string, worst, best float64) result.Row {
		return result.Row{Algorithm: name, Figures: measure.Figures{Fairness: &measure.Fairness{Keys: 40, WorstKey: key,
			WorstServed: worst, BestServed: best}}}
	}
	r := result.Run{Limit: result.Limit{Requests: 5, WindowUS: 1_000_000}, Results: []result.Row{
		row("none", "k7", 0.5, 1.4), row("gcra", "k7", 0.5, 1.4), row("leaky-bucket", "k1", 1, 1)}}
	if tables := Tables(&r, measure.Table, nil)[1:]; len(tables) != 0 {
		t.Errorf("%d tables, though nothing is expected of them", len(tables))
	}
	r.Expectations = []result.Expectation{{Measure: "fairness.worst_served"}}
	const want = `How evenly the keys are served, against the exact reference
limiter        worst    best  worst-served key
              served  served
gcra            50 %   140 %  k7
leaky-bucket   100 %   100 %  -
`
	if got := tablesOnTerminal(Tables(&r, measure.Table, nil)[1:], Terminal{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

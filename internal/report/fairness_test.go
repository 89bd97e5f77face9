package report

import (
	"slices"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// Rows that serve their keys alike are told once, even ones not at all; the published figures stand beside the
// counter's.
func TestFairnessAndRatesInWords(t *testing.T) {
	uneven := &measure.Fairness{Keys: 40, JainIndex: 0.9312, WorstKey: "k7", WorstServed: 0.5, BestServed: 1.4,
		KeysOver: 3, KeysShort: 1}
	even := &measure.Fairness{Keys: 40, JainIndex: 0.9999, WorstServed: 0.99, BestServed: 1}
	quarter, none := 0.253, 0.0
	row := func(name string, f *measure.Fairness, difference *float64) result.Row {
		return result.Row{Algorithm: name, Figures: measure.Figures{Fairness: f, RateDifference: difference,
			Result: measure.Result{Offered: 1000, Excess: 2, Shortfall: 13}}}
	}
	r := &result.Run{Keys: 40, Results: []result.Row{row("none", uneven, nil), row("gcra", uneven, nil),
		row("sliding-window-counter", even, &quarter),
		row("leaky-bucket", uneven, nil), row("sliding-window-log", even, &none)}}
	r.Results[4].Excess, r.Results[4].Shortfall = 0, 0
	want := []string{"fairness of gcra, leaky-bucket: Jain's index 0.931; a key gets from 0.50 (k7) to 1.40 of what " +
		"is exact; 1 key short of it"}
	if got := fairness(r); !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
	want = []string{"excess and shortfall, of the offered, and by how much the believed rate is off: " +
		"sliding-window-counter 1.5% and 25.3%, sliding-window-log 0% and 0%"}
	r.Keys = manyKeys
	if got := rateDifferences(r); !slices.Equal(got, append(want, published)) {
		t.Errorf("got %q", got)
	}
	r.Results = r.Results[3:]
	if got := rateDifferences(r); len(got) != 1 {
		t.Errorf("without the counter: %q", got)
	}
	r.Keys = manyKeys - 1
	if got := rateDifferences(r); got != nil {
		t.Errorf("of few keys: %q", got)
	}
}

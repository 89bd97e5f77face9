package recommend

import (
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// reactingRun is a row whose clients got so many done a second, with so many tries, beside an exact limiter's.
func reactingRun(goodput, exact, tries float64) evidence {
	row := func(goodput float64) *report.Row {
		c := &measure.Clients{Operations: 100, Succeeded: 50, Attempts: int64(50 * tries), GoodputPerSecond: goodput,
			Amplification: &tries, TimeToSuccessUS: &measure.Percentiles{P50: 1, P99: 7}}
		if goodput == 0 {
			c.Amplification, c.Succeeded, c.TimeToSuccessUS = nil, 0, nil
		}
		return &report.Row{Algorithm: "gcra", Figures: measure.Figures{Clients: c,
			Result: measure.Result{Offered: int64(50 * tries), AdmittedCost: 50, ExactCost: 50, ExcessCost: 40,
				ShortfallCost: 40}}}
	}
	run := &report.Run{Scenario: "crowd"}
	run.Limit.Requests, run.Limit.Contract = 10, limit.ByWindow
	return evidence{run: run, row: row(goodput), exact: row(exact)}
}

// Where clients react it is their goodput that falls short, and no excess or shortfall of the row's own requests, which
// are most of them here; how often they try is held against the tolerance.
func TestClientsAreHeldAgainstAnExactLimiters(t *testing.T) {
	twice := 2.0
	for _, c := range []struct {
		goodput, exact, tries float64
		max                   *float64
		words                 string
	}{
		{goodput: 10, exact: 10, tries: 2},
		{goodput: 12, exact: 10, tries: 2},
		{goodput: 0, exact: 0, tries: 2},
		{goodput: 9.9, exact: 10, tries: 2, max: &twice},
		{goodput: 9, exact: 10, tries: 2,
			words: "its clients get 9 a second done, those of an exact limiter 10: 10.0% less, more than 1%"},
		{goodput: 10, exact: 10, tries: 2.5, max: &twice, words: "2.50 tries a success, more than 2"},
		{goodput: 0, exact: 0, tries: 2, max: &twice, words: "100.00 tries a success, more than 2"},
	} {
		tolerance := DefaultTolerance()
		tolerance.MaxAmplification = c.max
		one := testimony{seeds: []evidence{reactingRun(c.goodput, c.exact, c.tries)}}
		got := judge("gcra", []testimony{one}, tolerance, nil)
		switch {
		case c.words == "" && !got.qualifies():
			t.Errorf("%+v: %+v", c, got.ExcludedBy)
		case c.words != "" && (len(got.ExcludedBy) != 1 || got.ExcludedBy[0].Words != c.words):
			t.Errorf("%+v: %+v", c, got.ExcludedBy)
		}
		if got.Excess.Median != 0 || got.Goodput == nil || got.Goodput.Median != c.goodput {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A success takes the commands of all its tries.
func TestCommandsPerSuccess(t *testing.T) {
	row := reactingRun(10, 10, 4).row
	if got := callsPerSuccess(row); got != nil {
		t.Errorf("%v, and nobody counted", *got)
	}
	calls := 2.5
	row.RedisCallsPerDecision = &calls
	if got := callsPerSuccess(row); got == nil || *got != 10 { // 200 tries of 2.5 commands for 50 successes
		t.Errorf("%v", got)
	}
	row.Clients.Succeeded = 0
	if got := callsPerSuccess(row); got != nil {
		t.Errorf("%v, and nothing succeeded", *got)
	}
}

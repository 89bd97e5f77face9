package run_test

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Every row of a run in virtual time has the findings that it can have, and they agree with its counts.
func TestRowsHaveTheirFindings(t *testing.T) {
	j := job(builtinScenarios(t, "extreme-case-1", "zipf-head", "mixed-costs")...)
	for _, r := range run(t, j).Document.Runs {
		window := slices.Index(r.TimeScales.IntervalUS, r.Limit.WindowUS)
		if window < 0 || len(r.TimeScales.Limit) != len(r.TimeScales.IntervalUS) {
			t.Fatalf("%s: time scales %+v", r.Scenario, r.TimeScales)
		}
		for i := range r.Results {
			row := &r.Results[i]
			if got := row.MostAdmitted[window]; got != row.Peak {
				t.Errorf("%s: %s: most admitted in the window is %d, its peak %d", r.Scenario, row.Algorithm, got,
					row.Peak)
			}
			checkFindings(t, &r, row)
		}
	}
}

func checkFindings(t *testing.T, r *result.Run, row *result.Row) {
	t.Helper()
	if promises := row.Algorithm != "none"; promises != (row.Bound != nil) {
		t.Errorf("%s: %s: the bound is %v", r.Scenario, row.Algorithm, row.Bound)
	}
	for i, most := range row.Bound {
		if row.MostAdmitted[i] > most {
			t.Errorf("%s: %s: %d admitted within %d us; promised at most %d", r.Scenario, row.Algorithm,
				row.MostAdmitted[i], r.TimeScales.IntervalUS[i], most)
		}
	}
	if (row.Fairness != nil) != (r.Keys > 1) {
		t.Errorf("%s: %s: of %d keys the fairness is %v", r.Scenario, row.Algorithm, r.Keys, row.Fairness)
	}
	if f := row.Fairness; row.Algorithm == "sliding-window-log" && f != nil && f.WorstServed != f.BestServed {
		t.Errorf("%s: the log is off: %+v", r.Scenario, row.Fairness)
	}
}

// Where there are too many keys for it, a reader is told.
func TestFairnessHasItsEnd(t *testing.T) {
	p := NewPlan(evenly(t, "steady", 10, ""), Instead{})
	for keys, want := range map[int64][]string{measure.MaxFairKeys: nil,
		measure.MaxFairKeys + 1: {"fairness is not measured beyond 200,000 keys"}} {
		if got := Describe(&p, &replay.Outcome{Keys: keys}).Notes; !slices.Equal(got, want) {
			t.Errorf("of %d keys: %q, want %q", keys, got, want)
		}
	}
}

// A bound is about intervals of the clock that the rule goes by. Where that clock is off the row has none.
func TestBoundsStandOnlyWhereTheClockIsRight(t *testing.T) {
	for _, r := range run(t, job(builtinScenarios(t, "client-clocks", "server-clock-step",
		"retrying-clients")...)).Document.Runs {
		for i := range r.Results {
			row := &r.Results[i]
			server, client := r.Scenario == "server-clock-step", row.Parameters["time"] == "client"
			want := row.Algorithm != "none" && !server && !client
			if got := row.Bound != nil; got != want {
				t.Errorf("%s: %s: has a bound: %v", r.Scenario, row.Algorithm, got)
			}
			if want {
				checkFindings(t, &r, row)
			}
		}
	}
}

// Requests that cost more than the limit, or than a row's burst, are named: nobody ever admits them.
func TestCostsAboveTheBurstAreNamed(t *testing.T) {
	costly := func(limit string) *scenario.Scenario {
		return written(t, `name: costly
question: Does anybody admit the request that costs seven?
limit: `+limit+`
phases:
  - {name: cheap, duration: 1s, constant: 3}
  - {name: dear, duration: 1s, constant: 1, cost: 7}
`)
	}
	for limit, want := range map[string]string{"10/1s": "",
		"{requests: 10, per: 1s, burst: 5}": "costs go up to 7, and what costs more than a row's burst is never " +
			"admitted: gcra (5)",
		"6/1s": "costs go up to 7, and what costs more than the limit of 6 is never admitted"} {
		j := job(costly(limit))
		j.Algorithms = choices(t, "gcra", "sliding-window-log")
		notes := strings.Join(run(t, j).Document.Runs[0].Notes, "; ")
		if strings.TrimSuffix(notes, "; ") != want {
			t.Errorf("%s: %q; want %q", limit, notes, want)
		}
	}
}

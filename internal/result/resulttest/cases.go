package resulttest

import (
	"fmt"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// ExtremeCase returns the document of a run of the first worked example: 1000 requests per 3 s, and 2000 requests that
// come as 10, 10, 980, 900, 100, 0 in six seconds. The counts equal those of the worked example. The hashes are made
// up, because no renderer uses them.
func ExtremeCase() *result.Document {
	exact := Counted(1020, 1000, 0)
	run := result.Run{
		Scenario: "extreme-case-1", Question: "Does 1000 per 3 s hold when demand peaks on both sides of a " +
			"window's edge?",
		Seed: 1, Clock: "virtual", Limit: result.Limit{Requests: 1000, WindowUS: 3_000_000, Burst: 1000},
		DurationUS: 6_000_000, Keys: 1,
		Server:    result.Server{Kind: "embedded", Name: "miniredis", Version: "2.40.0", Transport: "pipe"},
		Reference: &exact,
		Results: []result.Row{
			Row("none", nil, Counted(2000, 1980, 980)),
			Row("fixed-window-aligned", nil, Counted(2000, 1980, 980)),
			Row("gcra", map[string]string{"burst": "1000"}, Counted(1785, 1765, 765)),
			Row("gcra:burst=100", map[string]string{"burst": "100"}, Counted(885, 865, 0)),
			Row("sliding-window-log", nil, Counted(1020, 1000, 0)),
		},
		Expectations: []result.Expectation{
			Expectation("fixed-window-aligned", "peak", "1980", 1980, true),
			Expectation("gcra", "admitted", "1785", 1785, true),
		},
	}
	doc := result.New(result.OfSimulate, "v1.0.0")
	doc.Runs = []result.Run{run}
	return doc
}

// Counted returns the counts of a row of the worked example.
func Counted(admitted, peak, excess int64) measure.Result {
	return measure.Result{
		Offered: 2000, Admitted: admitted, Rejected: 2000 - admitted, OfferedCost: 2000, AdmittedCost: admitted,
		Peak: peak, XLimit: float64(peak) / 1000, Excess: excess, ExactCost: 1020,
		Lost:            float64(max(0, 1020-admitted)) / 1020,
		DecisionsDigest: fmt.Sprintf("%032x", admitted),
	}
}

// Row returns the row of an algorithm.
func Row(algorithm string, parameters map[string]string, counts measure.Result) result.Row {
	calls := 1.0
	return result.Row{Algorithm: algorithm, ScriptSHA1: fmt.Sprintf("%040x", len(algorithm)), Parameters: parameters,
		Figures: measure.Figures{Result: counts, RoundTrips: &calls}}
}

// Expectation returns an expectation that was checked.
func Expectation(algorithm, name, want string, got float64, met bool) result.Expectation {
	return result.Expectation{Algorithm: algorithm, Measure: name, Want: want, Got: &got, Met: &met}
}

// EveryMeasure returns ExtremeCase with all optional fields set, costs that differ from counts, and a hostile name.
func EveryMeasure() *result.Document {
	doc := ExtremeCase()
	run := &doc.Runs[0]
	calls, bytes, left, without := 2.5, 56.0, int64(7), int64(1)
	run.Partial = true
	run.Notes = []string{"12 lines of access.log were sorted"}
	for i := range run.Results {
		row := &run.Results[i]
		row.Commands, row.BytesPerKey = &calls, &bytes
		row.KeysLeft, row.KeysWithoutTTL = &left, &without
		row.OfferedCost, row.AdmittedCost = 4000, 2*row.Admitted
	}
	run.Results[3].Algorithm = "=cmd|' /C calc'!A0, \"quoted\" <b>`x`*_[a](b)"
	run.Expectations = append(run.Expectations,
		Expectation("gcra:burst=100", "admitted", "880..884", 885, false),
		result.Expectation{Algorithm: "leaky-bucket", Measure: "admitted", Want: "1785"})
	return doc
}

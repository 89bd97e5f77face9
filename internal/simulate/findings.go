package simulate

import (
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
)

// findings asks a replay under that limit for what goes beyond the counts; a run on the real clock does without.
func (p *contest) findings(o replay.Options) replay.Options {
	o.Scales, o.Fairness = measure.TimeScales(p.Policy.WindowUS()), true
	return o
}

// timeScales are those of a run with findings, and what the limit allows in each.
func timeScales(p limit.Policy) *report.TimeScales {
	lengths := measure.TimeScales(p.WindowUS())
	return &report.TimeScales{IntervalUS: lengths, Limit: measure.Allowed(p, lengths)}
}

// brokenPromises are the rows that let through more in an interval than their algorithm promises, which no traffic
// excuses: as expectations that were missed.
func brokenPromises(run *report.Run) []report.Expectation {
	var all []report.Expectation
	no := false
	for i := range run.Results {
		row := &run.Results[i]
		if row.Promise == nil || row.PeakWindowAdmitted <= *row.Promise {
			continue
		}
		got := float64(row.PeakWindowAdmitted)
		all = append(all, report.Expectation{Algorithm: row.Algorithm, Measure: "peak_window_admitted",
			Want: fmt.Sprintf("at most %d, which the algorithm promises", *row.Promise), Got: &got, Met: &no})
	}
	return all
}

// fairnessNote says why there is no fairness, where one would look for it.
func fairnessNote(keys int64) []string {
	if keys <= measure.MaxFairKeys {
		return nil
	}
	return []string{fmt.Sprintf("fairness is not measured beyond %d,000 keys", measure.MaxFairKeys/1000)}
}

package simulate

import (
	"fmt"

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
func (p *contest) timeScales() *report.TimeScales {
	lengths := measure.TimeScales(p.Policy.WindowUS())
	return &report.TimeScales{IntervalUS: lengths, Limit: measure.Allowed(p.Policy, lengths)}
}

// addFindings completes the lane's row where its replay was asked for findings. No request cost more than largestCost.
func (l *lane) addFindings(row *report.Row, o replay.LaneOutcome, scales *report.TimeScales, largestCost int64) {
	row.MostAdmitted, row.Fairness, row.RateDifference = o.MostAdmitted, o.Fairness, o.RateDifference
	row.Shaping = o.Shaping
	if o.MostAdmitted == nil || l.entry.MostAdmitted == nil || l.wrongClock {
		return
	}
	for _, us := range scales.IntervalUS {
		row.Bound = append(row.Bound, l.entry.MostAdmitted(us, max(1, largestCost)))
	}
}

// promise completes the row where its algorithm promises something for a window by a clock that is right.
func (l *lane) promise(row *report.Row, windowUS, largestCost int64) {
	if l.entry.MostAdmitted == nil || l.wrongClock || row.ClockEffect != nil {
		return
	}
	most := l.entry.MostAdmitted(windowUS, max(1, largestCost))
	row.Promise = &most
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

package compare

import (
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/message"
)

// What two results have in common.

// common pairs the members of both lists that have the same label, in the order of the old one.
func common[T any](older, younger []T, label func(*T) string) [][2]*T {
	var pairs [][2]*T
	for i := range older {
		for j := range younger {
			if label(&older[i]) == label(&younger[j]) {
				pairs = append(pairs, [2]*T{&older[i], &younger[j]})
				break
			}
		}
	}
	return pairs
}

func rowLabel(r *benchresult.Limiter) string { return r.Algorithm }
func costLabel(c *benchresult.Cost) string   { return c.Algorithm }
func runLabel(r *benchresult.Play) string    { return r.Scenario }

func commonRuns(older, younger *benchresult.Document) [][2]*benchresult.Play {
	return common(older.Runs, younger.Runs, runLabel)
}

// samples is a metric of one mix, by round.
func samples(c *benchresult.Cost, mix string, m *metric) []float64 {
	var values []float64
	for i := range c.Mixes {
		if c.Mixes[i].Mix != mix {
			continue
		}
		for j := range c.Mixes[i].Samples {
			if v := m.of(&c.Mixes[i].Samples[j]); usable(v) {
				values = append(values, v)
			}
		}
	}
	return values
}

// rounds is a metric of one algorithm under one scenario, by round.
func rounds(list []benchresult.OpenRound, m *metric) []float64 {
	var values []float64
	for i := range list {
		if v := m.ofRound(&list[i]); usable(v) {
			values = append(values, v)
		}
	}
	return values
}

// costControl is the control's closed loop in both results; a list is empty where it was not measured.
func (f *files) costControl(mix string, m *metric) (series [2][]float64) {
	for i, r := range []*benchresult.Document{f.older, f.younger} {
		for j := range r.Costs {
			if r.Costs[j].Algorithm == controlName {
				series[i] = samples(&r.Costs[j], mix, m)
			}
		}
	}
	return series
}

// runControl is the control's open loop in both results of a scenario.
func runControl(run [2]*benchresult.Play, m *metric) (series [2][]float64) {
	for i, r := range run {
		for j := range r.Rows {
			if r.Rows[j].Algorithm == controlName {
				series[i] = rounds(r.Rows[j].Rounds, m)
			}
		}
	}
	return series
}

// missing names the scenarios and algorithms that only one result holds.
func missing(older, younger *benchresult.Document) []string {
	notes := only("scenario", older.Runs, younger.Runs, runLabel)
	for _, run := range commonRuns(older, younger) {
		for _, note := range only("algorithm", run[0].Rows, run[1].Rows, rowLabel) {
			notes = append(notes, run[0].Scenario+": "+note)
		}
	}
	return append(notes, only("closed loop of algorithm", older.Costs, younger.Costs, costLabel)...)
}

// only names what one list has and the other lacks.
func only[T any](what string, older, younger []T, label func(*T) string) []string {
	var notes []string
	say := func(have, lack []T, where string) {
		var names []string
		for i := range have {
			if len(common(have[i:i+1], lack, label)) == 0 {
				names = append(names, message.Bare(label(&have[i])))
			}
		}
		if names != nil {
			notes = append(notes, fmt.Sprintf("%s only in the %s file, not compared: %s", what, where, message.List(names)))
		}
	}
	say(older, younger, "old")
	say(younger, older, "new")
	return notes
}

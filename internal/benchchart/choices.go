package benchchart

import (
	"slices"

	"ratelab/internal/benchresult"
)

// choice is one algorithm of one result as a point: how strict it is, and what it costs.
type choice struct {
	label     string
	result    int
	overshoot float64
	peak      int64
	serverUS  float64
}

// noteWithoutChoice names the results of the scenario that have no point.
func (s *scene) noteWithoutChoice(picture, scenario string, choices []choice) {
	for i, r := range s.results {
		if runOf(r, scenario) != nil && !slices.ContainsFunc(choices, func(c choice) bool { return c.result == i }) {
			s.leave(picture, s.names[i]+" did not tell what a call cost it, or its exact decisions are missing")
		}
	}
}

// choices takes the cost under the scenario's own traffic where every row has it, and else that of the half mix.
func (s *scene) choices(scenario string) ([]choice, string) {
	own := s.collect(scenario, func(_ *benchresult.Document,
		row *benchresult.Limiter) *float64 {
		return row.Open.ServerUSPerCall
	})
	half := s.collect(scenario, func(r *benchresult.Document, row *benchresult.Limiter) *float64 {
		if m := mixOf(r, row.Algorithm, benchresult.MixHalf); m != nil {
			return m.ServerUSPerCall
		}
		return nil
	})
	if len(own) >= len(half) {
		return own, underScenario
	}
	return half, underHalf
}

func (s *scene) collect(scenario string, costUS func(*benchresult.Document, *benchresult.Limiter) *float64) []choice {
	var all []choice
	for i, r := range s.results {
		run := runOf(r, scenario)
		if run == nil {
			continue
		}
		for k := range run.Rows {
			row := &run.Rows[k]
			if cost := costUS(r, row); cost != nil && row.Exact != nil {
				all = append(all, choice{row.Algorithm, i, row.Exact.Overshoot, row.Exact.PeakWindowAdmitted, *cost})
			}
		}
	}
	return all
}

func (s *scene) choiceData(choices []choice, traffic string) []byte {
	t := newTable("server", "algorithm", "overshoot", "peak_window_admitted", "server_us_per_decision", "cost_measured")
	for _, c := range choices {
		t.add(s.names[c.result], c.label, c.overshoot, c.peak, c.serverUS, traffic)
	}
	return t.bytes()
}

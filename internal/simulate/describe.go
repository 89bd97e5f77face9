package simulate

import (
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// describe writes down one scenario's outcome.
func (j *Job) describe(p *contest, b *backend, lanes []*lane, o *replay.Outcome) *report.Run {
	h := p.head(lanes, o.LargestCost)
	run := h.begin(o, b.describe(), j.Clock)
	for i, l := range lanes {
		row := h.Rows[i].row(o.Lanes[i], !j.paced())
		l.means.complete(&row)
		for _, complete := range l.completes {
			complete(&row)
		}
		if row.ClockEffect != nil {
			row.Promise = nil
		}
		run.Results = append(run.Results, row)
	}
	if p.Scenario.Reactive() {
		run.Reference = nil
		run.ClientGroups = groupNames(p)
		run.Notes = append(run.Notes, clientNotes(p, b)...)
	}
	if j.paced() {
		run.Notes = append(run.Notes, realNotes(p, lanes)...)
	}
	h.end(run)
	return run
}

// begin is a run on the server without its rows.
func (h *Head) begin(o *replay.Outcome, server result.Server, clock string) *report.Run {
	run := &report.Run{Scenario: h.Scenario, Question: h.Question, Seed: h.Seed, Clock: VirtualClock, Limit: h.Limit,
		DurationUS: o.Duration.Microseconds(), Keys: o.Keys, Server: server, Partial: o.Partial,
		Reference: &o.Reference, Notes: slices.Clone(h.Notes)}
	if clock == RealClock {
		run.Clock = RealClock
		return run
	}
	run.TimeScales = timeScales(h.Limit.Policy())
	run.Notes = append(run.Notes, fairnessNote(o.Keys)...)
	return run
}

// end says of a run with its rows what they come to.
func (h *Head) end(run *report.Run) {
	if run.Partial {
		run.Notes = append(run.Notes, "interrupted: the figures cover the beginning only")
		if run.Clock == RealClock {
			run.Notes = append(run.Notes, "interrupted: the exact reference had read some requests ahead of the rows")
		}
	}
	run.Expectations = append(h.expectations(run), brokenPromises(run)...)
	if !h.AsWritten && len(run.Expectations) > 0 {
		run.Notes = append(run.Notes, "expectations are not checked: they hold for the file's own limit and seed in "+
			"virtual time")
	}
}

// checked is what came of an expectation of a row. A figure that the row does not have is missed, unless it is one of
// those that only a script has, and a model decided.
func checked(row *report.Row, want scenario.Range, server string) (got *float64, met *bool) {
	m, about := measure.Find(want.Measure)
	v := m.Value(&row.Figures)
	yes := v.Known && want.Contains(v.Number)
	switch {
	case v.Known:
		got = &v.Number
	case about == measure.CostMeasures && server == "model":
		return nil, nil
	}
	return got, &yes
}

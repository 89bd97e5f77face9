package simulate

import (
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// describe writes down one scenario's outcome.
func (j *Job) describe(p *contest, b *backend, lanes []*lane, o *replay.Outcome) *report.Run {
	run := &report.Run{
		Scenario:   p.Scenario.Name,
		Question:   p.Scenario.Question,
		Seed:       p.Seed,
		Clock:      VirtualClock,
		Limit:      result.LimitOf(p.Policy),
		DurationUS: o.Duration.Microseconds(),
		Keys:       o.Keys,
		Server:     b.describe(),
		Partial:    o.Partial,
		Notes:      p.stream.Notes(),
	}
	if j.Clock != RealClock {
		run.TimeScales = p.timeScales()
		run.Notes = append(run.Notes, fairnessNote(o.Keys)...)
	}
	for i, l := range lanes {
		row := l.row(o.Lanes[i])
		l.addFindings(&row, o.Lanes[i], run.TimeScales, o.LargestCost)
		for _, complete := range l.completes {
			complete(&row)
		}
		if j.Clock != RealClock {
			l.promise(&row, p.Policy.WindowUS(), o.LargestCost)
		}
		run.Results = append(run.Results, row)
	}
	if !p.Scenario.Reactive() {
		run.Reference = &o.Reference
	} else {
		run.ClientGroups = groupNames(p)
		run.Notes = append(run.Notes, clientNotes(p, b)...)
	}
	if j.Clock == RealClock {
		run.Clock = RealClock
		run.Notes = append(run.Notes, realNotes(p, lanes)...)
	}
	if o.Partial {
		run.Notes = append(run.Notes, "interrupted: the figures cover the beginning only")
		if j.Clock == RealClock {
			run.Notes = append(run.Notes, "interrupted: the exact reference had read some requests ahead of the rows")
		}
	}
	run.Expectations = append(expectations(p, run), brokenPromises(run)...)
	if !p.asWritten && len(run.Expectations) > 0 {
		run.Notes = append(run.Notes, "expectations are not checked: they hold for the file's own limit and seed in "+
			"virtual time")
	}
	return run
}

// expectations compares the scenario's promises with the rows.
func expectations(p *contest, run *report.Run) []report.Expectation {
	var all []report.Expectation
	for _, e := range p.Scenario.Expect {
		row := run.Find(rowLabel(e.Algorithm))
		for _, want := range e.Measures {
			x := report.Expectation{Algorithm: e.Algorithm, Measure: want.Measure, Want: want.String()}
			if row != nil && p.asWritten && !run.Partial {
				x.Got, x.Met = checked(row, want, run.Server.Kind)
			}
			all = append(all, x)
		}
	}
	return all
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

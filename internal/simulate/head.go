package simulate

import (
	"math"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// Head is what is known of a run beside its figures.
type Head struct {
	Scenario string       `json:"scenario" jsonschema:"minLength=1"`
	Question string       `json:"question"`
	Seed     uint64       `json:"seed"`
	Limit    result.Limit `json:"limit"`
	Rows     []HeadRow    `json:"rows"`
	Expected []Expected   `json:"expected"`
	// AsWritten: limit and seed are those of the file, so that its expectations apply.
	AsWritten bool     `json:"as_written"`
	Notes     []string `json:"notes"` // what a reader must know of the traffic
}

// HeadRow is what is known of a row beside its figures.
type HeadRow struct {
	Algorithm  string            `json:"algorithm" jsonschema:"minLength=1"` // its label
	ScriptSHA1 string            `json:"script_sha1" jsonschema:"pattern=^([0-9a-f]{40})?$"`
	Parameters map[string]string `json:"parameters"`
	// Promise is the most that it promises in a window, and Bound in each of the time scales; absent where it promises
	// nothing, or its clock was off.
	Promise *int64  `json:"promise,omitempty"`
	Bound   []int64 `json:"bound,omitempty"`
}

// Expected is what the scenario's file expects of one measure.
type Expected struct {
	Algorithm string   `json:"algorithm"`
	Measure   string   `json:"measure"`
	Min       *float64 `json:"min,omitempty"` // absent: any
	Max       *float64 `json:"max,omitempty"`
}

// head is that of a contest, in which no request cost more than largestCost.
func (p *contest) head(lanes []*lane, largestCost int64) *Head {
	h := &Head{Scenario: p.Scenario.Name, Question: p.Scenario.Question, Seed: p.Seed, Limit: result.LimitOf(p.Policy),
		AsWritten: p.asWritten, Notes: p.stream.Notes()}
	for _, l := range lanes {
		h.Rows = append(h.Rows, l.head(p.Policy, largestCost))
	}
	for _, e := range p.Scenario.Expect {
		for _, want := range e.Measures {
			h.Expected = append(h.Expected, Expected{Algorithm: e.Algorithm, Measure: want.Measure,
				Min: finite(want.Min), Max: finite(want.Max)})
		}
	}
	return h
}

func (l *lane) head(p limit.Policy, largestCost int64) HeadRow {
	row := HeadRow{Algorithm: l.entry.Label, Parameters: l.entry.Parameters}
	if program := l.entry.Program; program != nil {
		row.ScriptSHA1 = script.SHA1(program.Source)
	}
	if l.entry.MostAdmitted == nil || l.wrongClock {
		return row
	}
	most := l.entry.MostAdmitted(p.WindowUS(), max(1, largestCost))
	row.Promise = &most
	for _, us := range measure.TimeScales(p.WindowUS()) {
		row.Bound = append(row.Bound, l.entry.MostAdmitted(us, max(1, largestCost)))
	}
	return row
}

// finite is v; nil where it is an infinity, which JSON cannot express.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// wanted is the range that is expected.
func (e *Expected) wanted() scenario.Range {
	r := scenario.Range{Measure: e.Measure, Min: math.Inf(-1), Max: math.Inf(1)}
	if e.Min != nil {
		r.Min = *e.Min
	}
	if e.Max != nil {
		r.Max = *e.Max
	}
	return r
}

// row is the row with the figures that its lane has, in a run with time scales or on the wall clock.
func (h *HeadRow) row(o replay.LaneOutcome, virtual bool) report.Row {
	row := report.Row{Algorithm: h.Algorithm, ScriptSHA1: h.ScriptSHA1, Parameters: h.Parameters,
		Figures: measure.Figures{Result: o.Result, MostAdmitted: o.MostAdmitted, Fairness: o.Fairness,
			RateDifference: o.RateDifference, Shaping: o.Shaping}}
	if virtual {
		row.Promise = h.Promise
	}
	if o.MostAdmitted != nil {
		row.Bound = h.Bound
	}
	return row
}

// expectations compares what is expected with the rows.
func (h *Head) expectations(run *report.Run) []report.Expectation {
	var all []report.Expectation
	for _, e := range h.Expected {
		want := e.wanted()
		x := report.Expectation{Algorithm: e.Algorithm, Measure: want.Measure, Want: want.String()}
		if row := run.Find(rowLabel(e.Algorithm)); row != nil && h.AsWritten && !run.Partial {
			x.Got, x.Met = checked(row, want, run.Server.Kind)
		}
		all = append(all, x)
	}
	return all
}

package report

import (
	"encoding/json"
	"strconv"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/sheet"
)

// ReferenceLabel names the row of the exact sliding log in every output that has rows.
const ReferenceLabel = "exact reference"

// FloorLabel names the row that admits everything: it shows what was offered, and is no contestant.
const FloorLabel = "none"

// IsFloor reports whether a row admits everything: the floor, or a variant of it such as none+local-flag.
func IsFloor(label string) bool {
	name, _, _ := strings.Cut(label, "+")
	return name == FloorLabel
}

// named is a value with its name in the JSON document, as text. What was not measured has no text.
type named struct{ name, text string }

// counts lists what every row and the reference have, in the order of the JSON document.
func counts(f *measure.Figures) []named { return columnsOf(f, measure.DecisionMeasures) }

// extras lists the measures that depend on what decided: a script, a real server, a real clock.
func extras(f *measure.Figures) []named {
	return columnsOf(f, measure.CostMeasures, measure.RealClockMeasures)
}

// columnsOf are the measures of these subjects that have a column of their own in CSV and benchmark lines.
func columnsOf(f *measure.Figures, subjects ...*measure.Subject) []named {
	var list []named
	for _, s := range subjects {
		for _, m := range s.Within(measure.Written) {
			list = append(list, named{m.Name, exactly(m.Value(f))})
		}
	}
	return list
}

// findings lists what goes beyond a row's counts.
func findings(r *measure.Figures) []named { return append(composite(r), rateDifference(r)) }

func rateDifference(r *measure.Figures) named {
	return named{"rate_difference", sheet.OptionalFloat(r.RateDifference)}
}

// composite are those of them that have several numbers, each as compact JSON.
func composite(r *measure.Figures) []named {
	return []named{
		{"most_admitted", compact(r.MostAdmitted, r.MostAdmitted == nil)},
		{"bound", compact(r.Bound, r.Bound == nil)},
		{"shaping", compact(r.Shaping, r.Shaping == nil)},
		{"fairness", compact(r.Fairness, r.Fairness == nil)},
		{"clients", compact(r.Clients, r.Clients == nil)},
		{"clock_effect", compact(r.ClockEffect, r.ClockEffect == nil)},
		{"race", compact(r.Race, r.Race == nil)},
		{"local_flag", compact(r.LocalFlag, r.LocalFlag == nil)},
	}
}

func compact(v any, absent bool) string {
	if absent {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and names
	}
	return string(text)
}

// exactly is a value with all its digits; nothing where there is none.
func exactly(v measure.Value) string {
	if !v.Known {
		return ""
	}
	return sheet.Float(v.Number)
}

// cell is a measure of a row as people read it.
func cell(m *measure.Measure, f *measure.Figures) sheet.Cell {
	v := m.Value(f)
	if !v.Known {
		return sheet.Cell{Text: sheet.Absent}
	}
	c := sheet.Cell{Text: read(m, v.Number)}
	if m.Above > 0 && v.Number > m.Above {
		c.Style = sheet.Alarm
	}
	return c
}

func read(m *measure.Measure, v float64) string {
	switch m.Unit {
	case measure.Limits, measure.Promises:
		return sheet.Times(v)
	case measure.Share:
		return sheet.Percent(v)
	case measure.Microseconds:
		return sheet.Briefly(int64(v))
	}
	return strconv.FormatFloat(v, 'f', m.Digits, 64)
}

// columns are the headings of these measures in a table of r.
func (r *Run) columns(measures []*measure.Measure) []sheet.Column {
	var list []sheet.Column
	for _, m := range measures {
		list = append(list, sheet.Column{Name: m.ColumnHeading(sheet.Span(r.Limit.WindowUS)), Leaves: m.Leaves})
	}
	return list
}

// HasCosts reports whether permits and requests are not the same in r.
func (r *Run) HasCosts() bool {
	for _, f := range r.figures() {
		if f.OfferedCost != f.Offered {
			return true
		}
	}
	return false
}

// figures are those of all rows, and of the exact reference after them where there is one.
func (r *Run) figures() []*measure.Figures {
	var all []*measure.Figures
	for i := range r.Results {
		all = append(all, &r.Results[i].Figures)
	}
	if r.Reference != nil {
		all = append(all, &measure.Figures{Result: *r.Reference})
	}
	return all
}

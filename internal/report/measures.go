package report

import (
	"strconv"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// cell is a measure of a row as people read it.
func cell(m *measure.Measure, f *measure.Figures) Cell {
	v := m.Value(f)
	if !v.Known {
		return Cell{Text: Absent}
	}
	c := Cell{Text: read(m, v.Number)}
	if m.Above > 0 && v.Number > m.Above {
		c.Style = Alarm
	}
	return c
}

func read(m *measure.Measure, v float64) string {
	switch m.Unit {
	case measure.Limits, measure.Promises:
		return Times(v)
	case measure.Share:
		return Percent(v)
	case measure.Microseconds:
		return Briefly(int64(v))
	}
	return strconv.FormatFloat(v, 'f', m.Digits, 64)
}

// columns are the headings of these measures in a table of r.
func columns(r *result.Run, measures []*measure.Measure) []Column {
	var list []Column
	for _, m := range measures {
		list = append(list, Column{Name: m.ColumnHeading(Span(r.Limit.WindowUS)), Leaves: m.Leaves})
	}
	return list
}

package page

import (
	"math"
	"slices"
	"strconv"

	"ratelab/algorithms"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// caption says whether the rows can be compared request by request.
func caption(r *result.Run) string {
	if len(r.ClientGroups) > 0 {
		return "What each algorithm did with the requests that the clients made of its answers"
	}
	return "What each algorithm did with the same requests"
}

// rowsOf is a run's table: a line per algorithm, and the exact reference below them.
func rowsOf(r *result.Run, l *labels) report.Table {
	var all []*measure.Figures
	if r.Reference != nil {
		all = append(all, &measure.Figures{Result: *r.Reference})
	}
	for i := range r.Results {
		all = append(all, &r.Results[i].Figures)
	}
	shown := peakFirst(measure.DecisionMeasures.Shown(measure.Page, all))
	t := tableOf(caption(r), append(columns(shown, r), capacityColumn)...)
	for _, group := range r.Alike() {
		row := rowOf(l.of(group[0].Algorithm),
			append(cells(shown, &group[0].Figures), report.Cell{Text: burst(group[0])})...)
		for _, same := range group[1:] {
			below(&row.Cells[0], report.AlikeMark+l.of(same.Algorithm).Text)
			for j, m := range shown {
				if m.Own {
					below(&row.Cells[1+j], cellOf(m, m.Value(&same.Figures)).Text)
				}
			}
			below(&row.Cells[1+len(shown)], burst(same))
		}
		t.Rows = append(t.Rows, row)
	}
	if r.Reference != nil {
		foot := rowOf(l.of(result.ReferenceLabel), append(cells(shown, all[0]), report.Cell{})...)
		foot.Faint = true
		t.Rows = append(t.Rows, foot)
	}
	return withoutEmpty(t)
}

// peakFirst puts what was counted behind the measures of it: a phone shows the first columns only, and those are to say
// how well the contract was kept.
func peakFirst(measures []*measure.Measure) []*measure.Measure {
	i := max(0, slices.IndexFunc(measures, func(m *measure.Measure) bool { return m.Name == "peak_window_admitted" }))
	return slices.Concat(measures[i:], measures[:i])
}

// below adds a line below what a cell says: of a row that decides alike.
func below(c *report.Cell, text string) {
	if c.Text == "" {
		c.Text = "\u00a0" // so that it has a first line, too
	}
	c.Text += "\n" + text
}

var capacityColumn = report.Column{Name: "burst", Help: "the capacity that the algorithm was given, where it takes one"}

func columns(measures []*measure.Measure, r *result.Run) []report.Column {
	var list []report.Column
	for _, m := range measures {
		list = append(list, report.Column{Name: m.PageHeading(report.Natural(float64(r.Limit.WindowUS))), Help: m.Help})
	}
	return list
}

func cells(measures []*measure.Measure, f *measure.Figures) []report.Cell {
	var list []report.Cell
	for _, m := range measures {
		list = append(list, cellOf(m, m.Value(f)))
	}
	return list
}

// cellOf is a value as its unit is read. What is absent is empty.
func cellOf(m *measure.Measure, v measure.Value) report.Cell {
	if !v.Known {
		return report.Cell{}
	}
	c := report.Cell{Key: key(v.Number)}
	if m.Above > 0 && v.Number > m.Above {
		c.Style = report.Alarm
	}
	switch m.Unit {
	case measure.Limits, measure.Promises:
		c.Text = report.Times(v.Number)
	case measure.Share:
		c.Text = report.Percent(v.Number)
	case measure.Microseconds:
		return duration(int64(v.Number))
	default:
		if m.Digits == 0 {
			return whole(int64(math.Round(v.Number)))
		}
		c.Text = strconv.FormatFloat(v.Number, 'f', m.Digits, 64)
	}
	return c
}

// burst is the capacity that a row was given.
func burst(row *result.Row) string {
	capacity, _ := algorithms.InRole(algorithms.Capacity, row.Algorithm, row.Parameters)
	if n, err := strconv.ParseInt(capacity, 10, 64); err == nil {
		return message.Grouped(n)
	}
	return capacity
}

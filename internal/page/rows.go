package page

import (
	"math"
	"strconv"

	"ratelab/algorithms"
	"ratelab/internal/chart"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// caption says whether the rows can be compared request by request.
func caption(r *report.Run) string {
	if len(r.ClientGroups) > 0 {
		return "What each algorithm did with the requests that the clients made of its answers"
	}
	return "What each algorithm did with the same requests"
}

// rowsOf is a run's table: a line per algorithm, and the exact reference below them.
func rowsOf(r *report.Run, l *labels) grid {
	reference := &measure.Figures{Result: r.Reference}
	all := []*measure.Figures{reference}
	for i := range r.Results {
		all = append(all, &r.Results[i].Figures)
	}
	shown, bursts := measure.DecisionMeasures.Shown(measure.Page, all), bursty(r)
	g := grid{Caption: caption(r)}
	if bursts {
		g.Head = append(g.Head, heading{"burst", "the capacity that the algorithm was given, where it takes one"})
	}
	g.Head = append(g.Head, headings(shown, r)...)
	row := func(name, burst string, f *measure.Figures) line {
		var list []cell
		if bursts {
			list = append(list, cell{Text: burst})
		}
		return line{l.of(name), append(list, cells(shown, f)...)}
	}
	for i := range r.Results {
		g.Rows = append(g.Rows, row(r.Results[i].Algorithm, burst(&r.Results[i]), &r.Results[i].Figures))
	}
	g.Foot = []line{row(report.ReferenceLabel, "", reference)}
	return g
}

func headings(measures []*measure.Measure, r *report.Run) []heading {
	var list []heading
	for _, m := range measures {
		list = append(list, heading{m.PageHeading(chart.Span(float64(r.Limit.WindowUS))), m.Help})
	}
	return list
}

func cells(measures []*measure.Measure, f *measure.Figures) []cell {
	var list []cell
	for _, m := range measures {
		list = append(list, cellOf(m, m.Value(f)))
	}
	return list
}

// cellOf is a value as its unit is read. What is absent is empty.
func cellOf(m *measure.Measure, v measure.Value) cell {
	if !v.Known {
		return cell{}
	}
	c := cell{Key: key(v.Number), Over: m.Above > 0 && v.Number > m.Above}
	switch m.Unit {
	case measure.Limits:
		c.Text = sheet.Times(v.Number)
	case measure.Share:
		c.Text = sheet.Percent(v.Number)
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
func burst(row *report.Row) string {
	capacity, _ := algorithms.InRole(algorithms.Capacity, row.Algorithm, row.Parameters)
	return shown(capacity)
}

func bursty(r *report.Run) bool {
	for i := range r.Results {
		if burst(&r.Results[i]) != "" {
			return true
		}
	}
	return false
}

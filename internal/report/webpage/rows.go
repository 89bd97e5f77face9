package webpage

import (
	"ratelab/algorithms"
	"ratelab/internal/drawing"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// column is one measure of the table under a scenario.
type column struct {
	heading
	text func(*measure.Result) cell
}

// caption says whether the rows can be compared request by request.
func caption(r *report.Run) string {
	if len(r.ClientGroups) > 0 {
		return "What each algorithm did with the requests that the clients made of its answers"
	}
	return "What each algorithm did with the same requests"
}

// rowsOf is a run's table: a line per algorithm, and the exact reference below them.
func rowsOf(r *report.Run, l *labels) grid {
	columns := columnsOf(r)
	g := grid{Caption: caption(r)}
	if bursty(r) {
		g.Head = append(g.Head, heading{"burst", "the capacity that the algorithm was given, where it takes one"})
	}
	for _, c := range columns {
		g.Head = append(g.Head, c.heading)
	}
	for i := range r.Results {
		row := &r.Results[i]
		g.Rows = append(g.Rows, line{l.of(row.Algorithm), cells(r, columns, &row.Result, burst(row))})
	}
	g.Foot = []line{{l.of(report.ReferenceLabel), cells(r, columns, &r.Reference, "")}}
	return g
}

func cells(r *report.Run, columns []column, m *measure.Result, burst string) []cell {
	var list []cell
	if bursty(r) {
		list = append(list, cell{Text: burst})
	}
	for _, c := range columns {
		list = append(list, c.text(m))
	}
	return list
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

// columnsOf chooses the measures: costs only where they are not the counts again, errors only where there are any.
func columnsOf(r *report.Run) []column {
	list := []column{
		{heading{"offered", "requests"}, func(m *measure.Result) cell { return whole(m.Offered) }},
		{heading{"admitted", "requests"}, func(m *measure.Result) cell { return whole(m.Admitted) }},
		{heading{"rejected", "requests"}, func(m *measure.Result) cell { return whole(m.Rejected) }},
	}
	if anyErrors(r) {
		list = append(list, column{heading{"errors", "requests whose call failed"}, func(m *measure.Result) cell { return whole(m.Errors) }})
	}
	if r.HasCosts() {
		list = append(list,
			column{heading{"offered cost", "permits"}, func(m *measure.Result) cell { return whole(m.OfferedCost) }},
			column{heading{"admitted cost", "permits"}, func(m *measure.Result) cell { return whole(m.AdmittedCost) }})
	}
	return append(list,
		column{heading{"peak in " + drawing.Span(float64(r.Limit.WindowUS)), "the most admitted for one key in any window"},
			func(m *measure.Result) cell { return whole(m.PeakWindowAdmitted) }},
		column{heading{"× limit", "the peak, as a multiple of the limit"},
			func(m *measure.Result) cell {
				return cell{Text: sheet.Times(m.Overshoot), Key: key(m.Overshoot), Over: m.Overshoot > 1}
			}},
		column{heading{"false admits", "admitted though the exact limit rejects"}, func(m *measure.Result) cell { return whole(m.FalseAdmits) }},
		column{heading{"false rejects", "rejected though the exact limit admits"}, func(m *measure.Result) cell { return whole(m.FalseRejects) }},
		column{heading{"used", "of the quota of all keys over the whole run"}, func(m *measure.Result) cell { return percentage(m.Utilization) }})
}

func anyErrors(r *report.Run) bool {
	for i := range r.Results {
		if r.Results[i].Errors != 0 {
			return true
		}
	}
	return false
}

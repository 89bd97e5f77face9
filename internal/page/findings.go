package page

import (
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// findingsOf are the small tables below a run's first: only those of which the document has something.
func findingsOf(r *result.Run, l *labels) []report.Table {
	var all []report.Table
	for _, about := range measure.Subjects()[1:] {
		all = append(all, subjectTable(r, about, l))
	}
	if len(r.ClientGroups) > 1 {
		for i := range r.ClientGroups {
			all = append(all, groupTable(r, i, l))
		}
	}
	return slices.DeleteFunc(all, func(t report.Table) bool { return len(t.Rows) == 0 })
}

// subjectTable has a line for each row that has something to say about the subject.
func subjectTable(r *result.Run, about *measure.Subject, l *labels) report.Table {
	var all []*measure.Figures
	for i := range r.Results {
		all = append(all, &r.Results[i].Figures)
	}
	measures := about.Shown(measure.Page, all)
	t := tableOf(about.Caption, columns(measures, r)...)
	named := about == measure.FairnessMeasures
	if named {
		t.Columns = append(t.Columns, report.Column{Name: "worst-served key", Words: true})
	}
	for i := range r.Results {
		row := &r.Results[i]
		if !slices.ContainsFunc(measures, func(m *measure.Measure) bool { return m.Value(&row.Figures).Known }) {
			continue
		}
		list := cells(measures, &row.Figures)
		if named {
			list = append(list, worstKey(row.Fairness))
		}
		t.Rows = append(t.Rows, rowOf(l.of(row.Algorithm), list...))
	}
	return withoutEmpty(t)
}

// worstKey names the key that was served worst, where that says anything: of keys that are all served alike it would be
// the first of the alphabet.
func worstKey(f *measure.Fairness) report.Cell {
	if f.WorstServed == f.BestServed {
		return report.Cell{}
	}
	return report.Cell{Text: f.WorstKey}
}

// groupTable is about one group of clients.
func groupTable(r *result.Run, group int, l *labels) report.Table {
	t := tableOf("The clients named "+r.ClientGroups[group], groupColumns...)
	for i := range r.Results {
		row := &r.Results[i]
		if row.Clients == nil || group >= len(row.Clients.Groups) {
			continue
		}
		c := &row.Clients.Groups[group]
		list := []report.Cell{whole(c.Operations), whole(c.Succeeded), percentage(share(c.Succeeded, c.Operations)),
			whole(c.GaveUp), whole(c.Attempts)}
		t.Rows = append(t.Rows, rowOf(l.of(row.Algorithm), append(list, medianAndTail(c.TimeToSuccessUS)...)...))
	}
	return withoutEmpty(t)
}

var groupColumns = []report.Column{
	{Name: "operations"}, {Name: "succeeded"}, {Name: "of its operations",
		Help: "share that succeeded"}, {Name: "gave up"}, {Name: "attempts"},
	{Name: "p50", Help: "of the time to success"}, {Name: "p99", Help: "of the time to success"},
}

func medianAndTail(p *measure.Percentiles) []report.Cell {
	if p == nil {
		return []report.Cell{{}, {}}
	}
	return []report.Cell{duration(p.P50), duration(p.P99)}
}

package page

import (
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// findingsOf are the small tables below a run's first: only those of which the document has something.
func findingsOf(r *report.Run, l *labels) []grid {
	var all []grid
	for _, about := range measure.Subjects()[1:] {
		all = append(all, subjectGrid(r, about, l))
	}
	for i := range r.ClientGroups {
		all = append(all, groupGrid(r, i, l))
	}
	return slices.DeleteFunc(all, func(g grid) bool { return len(g.Rows) == 0 })
}

// subjectGrid has a line for each row that has something to say about the subject.
func subjectGrid(r *report.Run, about *measure.Subject, l *labels) grid {
	measures := about.Within(measure.Page)
	g := grid{Caption: about.Caption, Head: headings(measures, r)}
	named := about == measure.FairnessMeasures
	if named {
		g.Head = append(g.Head, heading{"worst-served key", ""})
	}
	for i := range r.Results {
		row := &r.Results[i]
		if !slices.ContainsFunc(measures, func(m *measure.Measure) bool { return m.Value(&row.Figures).Known }) {
			continue
		}
		list := cells(measures, &row.Figures)
		if named {
			list = append(list, cell{Text: shown(row.Fairness.WorstKey), Left: true})
		}
		g.Rows = append(g.Rows, line{l.of(row.Algorithm), list})
	}
	return g.withoutEmpty()
}

// groupGrid is about one group of clients, where there are several.
func groupGrid(r *report.Run, group int, l *labels) grid {
	g := grid{
		Caption: "The clients named " + shown(r.ClientGroups[group]),
		Head: []heading{{"operations", ""}, {"succeeded", ""}, {"of its operations", "share that succeeded"}, {"gave up", ""}, {"attempts", ""},
			{"p50", "of the time to success"}, {"p99", "of the time to success"}},
	}
	if len(r.ClientGroups) < 2 {
		return grid{}
	}
	for i := range r.Results {
		row := &r.Results[i]
		if row.Clients == nil || group >= len(row.Clients.Groups) {
			continue
		}
		c := &row.Clients.Groups[group]
		list := []cell{whole(c.Operations), whole(c.Succeeded), percentage(share(c.Succeeded, c.Operations)), whole(c.GaveUp), whole(c.Attempts)}
		g.Rows = append(g.Rows, line{l.of(row.Algorithm), append(list, medianAndTail(c.TimeToSuccessUS)...)})
	}
	return g.withoutEmpty()
}

func medianAndTail(p *measure.Percentiles) []cell {
	if p == nil {
		return []cell{{}, {}}
	}
	return []cell{duration(p.P50), duration(p.P99)}
}

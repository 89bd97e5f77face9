package report

import (
	"fmt"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// findingTables are small tables below a run's rows, for what only some runs have, of the rows that have it.
func findingTables(r *result.Run) []Table {
	fared := rowsWith(r, func(row *result.Row) bool { return row.Clients != nil })
	groups := fared
	if len(r.ClientGroups) < 2 {
		groups = nil
	}
	if !slices.ContainsFunc(fared,
		func(row *result.Row) bool { return row.Clients.Attempts > row.Clients.Operations }) {
		fared = nil // nobody ever tried again: the counts above say it all
	}
	tables := []Table{
		subjectTable(r, measure.ShapingMeasures, rowsWith(r, func(row *result.Row) bool { return row.Shaping != nil })),
		subjectTable(r, measure.ClientMeasures, fared),
		groupTable(r, groups),
		subjectTable(r, measure.ClockMeasures, rowsWith(r,
			func(row *result.Row) bool { return row.ClockEffect != nil })),
	}
	return slices.DeleteFunc(tables, func(t Table) bool { return len(t.Rows) == 0 })
}

func subjectTable(r *result.Run, about *measure.Subject, rows []*result.Row) Table {
	t := tableOf(r, about.Within(measure.Table), rows)
	t.Title = about.Title
	return t
}

func rowsWith(r *result.Run, has func(*result.Row) bool) []*result.Row {
	var rows []*result.Row
	for i := range r.Results {
		if has(&r.Results[i]) {
			rows = append(rows, &r.Results[i])
		}
	}
	return rows
}

// groupTable has a column for each group of clients.
func groupTable(r *result.Run, rows []*result.Row) Table {
	t := tableOf(r, nil, rows)
	t.Title = "who got through: operations that succeeded, of all, by group of clients"
	for i, name := range r.ClientGroups {
		t.Columns = append(t.Columns, Column{Name: message.Visible(name), Leaves: i + 1})
		for j, row := range rows {
			g := &row.Clients.Groups[i]
			t.Rows[j].Cells = append(t.Rows[j].Cells, Cell{Text: fmt.Sprintf("%d/%d", g.Succeeded, g.Operations)})
		}
	}
	return t
}

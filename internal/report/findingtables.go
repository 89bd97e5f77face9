package report

import (
	"fmt"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// findingTables are small tables below a run's rows, for what only some runs have, of the rows that have it.
func (r *Run) findingTables() []sheet.Table {
	fared := r.rowsWith(func(row *Row) bool { return row.Clients != nil })
	groups := fared
	if len(r.ClientGroups) < 2 {
		groups = nil
	}
	if !slices.ContainsFunc(fared, func(row *Row) bool { return row.Clients.Attempts > row.Clients.Operations }) {
		fared = nil // nobody ever tried again: the counts above say it all
	}
	tables := []sheet.Table{
		r.subjectTable(measure.ShapingMeasures, r.rowsWith(func(row *Row) bool { return row.Shaping != nil })),
		r.subjectTable(measure.ClientMeasures, fared),
		r.groupTable(groups),
		r.subjectTable(measure.ClockMeasures, r.rowsWith(func(row *Row) bool { return row.ClockEffect != nil })),
	}
	return slices.DeleteFunc(tables, func(t sheet.Table) bool { return len(t.Rows) == 0 })
}

func (r *Run) subjectTable(about *measure.Subject, rows []*Row) sheet.Table {
	t := r.tableOf(about.Within(measure.Table), rows)
	t.Title = about.Title
	return t
}

func (r *Run) rowsWith(has func(*Row) bool) []*Row {
	var rows []*Row
	for i := range r.Results {
		if has(&r.Results[i]) {
			rows = append(rows, &r.Results[i])
		}
	}
	return rows
}

// groupTable has a column for each group of clients.
func (r *Run) groupTable(rows []*Row) sheet.Table {
	t := r.tableOf(nil, rows)
	t.Title = "who got through: operations that succeeded, of all, by group of clients"
	for i, name := range r.ClientGroups {
		t.Columns = append(t.Columns, sheet.Column{Name: message.Visible(name), Leaves: i + 1})
		for j, row := range rows {
			g := &row.Clients.Groups[i]
			t.Rows[j].Cells = append(t.Rows[j].Cells, sheet.Cell{Text: fmt.Sprintf("%d/%d", g.Succeeded, g.Operations)})
		}
	}
	return t
}

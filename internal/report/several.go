package report

import (
	"slices"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// exactName is the name of the reference's row in tables about several limits.
const exactName = "exact"

// severalTables returns the tables of a run with several limits. For two limits there is one table. For more limits
// there is a second table, with a line for each row and limit. The reference is the first row.
func severalTables(r *result.Run, place measure.Place) []Table {
	rows := each(shownRows(r), func(group []*result.Row) result.Row { return *group[0] })
	shorten(rows)
	if r.Reference != nil {
		rows = slices.Insert(rows, 0, result.Row{Algorithm: exactName, Figures: *r.ReferenceFigures()})
	}
	if len(r.Limits) == 2 {
		return []Table{limitColumns(r, rows, place)}
	}
	var shown []*measure.Measure
	for _, name := range []string{"admitted", "rejected", "several_refused", "x_limit", "lost", "commands"} {
		m, _ := measure.Find(name)
		shown = append(shown, m)
	}
	all := Table{Bare: true, Columns: columns(shown, place)}
	lines := Table{Title: "By limit", Bare: true, Columns: []Column{LimiterColumn, {Name: "limit", Words: true}}}
	for i := range measure.LimitMeasures.Measures {
		m := &measure.LimitMeasures.Measures[i]
		lines.Columns = append(lines.Columns, Column{Name: m.Heading, Help: m.Help})
	}
	for i := range rows {
		row := &rows[i]
		all.Rows = append(all.Rows, rowOf(r, row.Algorithm, shown, &row.Figures, place))
		for j := range row.Limits {
			line := Cells(row.Algorithm, r.Limits[j].Short())
			if j > 0 {
				line[0].Text = ""
			}
			for _, m := range measure.LimitMeasures.Measures {
				line = append(line, limitCell(&row.Figures, m.Name, row.Limits[j].Name, place))
			}
			lines.Rows = append(lines.Rows, TableRow{Cells: line})
		}
	}
	return []Table{all, lines}
}

// limitColumns returns a table with the figures of two limits side by side. The columns with x_limit are left out if no
// row exceeds a limit.
func limitColumns(r *result.Run, rows []result.Row, place measure.Place) Table {
	type column struct {
		group, measure, limit, name string
		leaves                      int
	}
	over := slices.ContainsFunc(rows, func(row result.Row) bool { return row.XLimit > 1 })
	var list []column
	add := func(group, measure string, leaves int) {
		for _, l := range r.Limits {
			list = append(list, column{group, measure, l.Name, l.Short(), leaves})
		}
	}
	list = append(list, column{measure: "admitted"})
	add("refused only by", "refused_alone", 0)
	list = append(list, column{measure: "several_refused", leaves: 1})
	if over {
		add("x limit", "x_limit", 0)
	}
	add("in vain", "in_vain", 0)
	list = append(list, column{measure: "lost"})
	t := Table{Bare: true, Tight: true, Columns: []Column{LimiterColumn}}
	for _, c := range list {
		m, _ := measure.Find(ofLimit(c.measure, c.limit))
		name := strings.TrimSuffix(m.Heading, "\nrefused")
		if c.limit != "" {
			name = c.name
		}
		t.Columns = append(t.Columns, Column{Group: c.group, Name: name, Help: m.Help, Leaves: c.leaves})
	}
	for i := range rows {
		line := Cells(rows[i].Algorithm)
		for _, c := range list {
			line = append(line, limitCell(&rows[i].Figures, c.measure, c.limit, place))
		}
		t.Rows = append(t.Rows, TableRow{Cells: line})
	}
	return t
}

// limitCell returns a figure of a row, or of one of its limits.
func limitCell(f *measure.Figures, name, limit string, place measure.Place) Cell {
	m, _ := measure.Find(ofLimit(name, limit))
	v := m.Value(f)
	if !v.Known {
		return Cell{Text: Absent}
	}
	c := figure(m.Unit, m.Digits, v.Number, place)
	if m.Above > 0 && v.Number > m.Above {
		c.Style = Alarm
	}
	return c
}

// ofLimit returns the name of a measure of a row, or of one of its limits.
func ofLimit(measure, limit string) string {
	if limit == "" {
		return measure
	}
	return measure + ":" + limit
}

// shorten removes the algorithm's name from the labels if all rows have the same algorithm: ask=order.
func shorten(rows []result.Row) {
	name := func(row *result.Row) string {
		before, _, _ := strings.Cut(row.Algorithm, ":")
		return before
	}
	for i := range rows {
		if len(rows) < 2 || name(&rows[i]) != name(&rows[0]) || rows[i].Parameters["ask"] == "" {
			return
		}
	}
	for i := range rows {
		rows[i].Algorithm = "ask=" + rows[i].Parameters["ask"]
	}
}

// LimitsWords returns a list of several limits for messages: 10/1s and 1000/24h.
func LimitsWords(limits []result.NamedLimit) string {
	return message.Enumerate(each(limits, func(l result.NamedLimit) string { return l.String() }))
}

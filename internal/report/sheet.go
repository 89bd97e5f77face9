package report

import (
	"io"

	"ratelab/internal/measure"
	"ratelab/internal/sheet"
)

// WriteTable writes doc for people: for each run its question and circumstances, a line per algorithm, the
// exact reference below them, and what was expected and not met.
func WriteTable(w io.Writer, doc *Document, t sheet.Terminal) error {
	return doc.sheet().WriteTerminal(w, t)
}

// WriteMarkdown writes a heading, the circumstances and a GitHub table for each run.
func WriteMarkdown(w io.Writer, doc *Document) error { return doc.sheet().WriteMarkdown(w) }

func (d *Document) sheet() (s sheet.Sheet) {
	for i := range d.Runs {
		s = append(s, d.Runs[i].part())
	}
	return s
}

// part is what people read of a run.
func (r *Run) part() sheet.Part {
	p := sheet.Part{Title: r.Scenario, Tables: append([]sheet.Table{r.table()}, r.findingTables()...)}
	if r.Question != "" {
		p.Lead = append(p.Lead, sheet.Line{Text: r.Question})
	}
	p.Lead = append(p.Lead, sheet.Line{Text: r.circumstances(), Style: sheet.Faint})
	if r.Partial {
		p.Lead = append(p.Lead, sheet.Line{Text: partialWarning, Style: sheet.Alarm})
	}
	p.Notes = r.remarks()
	return p
}

// narrowest is the width below which the algorithm's column is never pressed.
const narrowest = 16

// table is a line for each algorithm, and the reference below them.
func (r *Run) table() sheet.Table {
	columns := r.columns()
	t := sheet.Table{Columns: []sheet.Column{{Name: "algorithm", Words: true, Narrowest: narrowest}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, sheet.Column{Name: c.heading, Leaves: c.leaves})
	}
	if r.differsFromVirtual() {
		t.Columns = append(t.Columns, sheet.Column{Name: "not as in\nvirtual"})
	}
	add := func(label string, m *measure.Result, differs string, faint bool) {
		row := sheet.Row{Cells: sheet.Cells(label), Faint: faint}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(m))
		}
		if r.differsFromVirtual() {
			row.Cells = append(row.Cells, sheet.Cell{Text: differs})
		}
		t.Rows = append(t.Rows, row)
	}
	for i := range r.Results {
		add(r.Results[i].Algorithm, &r.Results[i].Result, optionalInteger(r.Results[i].DiffersFromVirtual), false)
	}
	add(ReferenceLabel, &r.Reference, "", true)
	return t
}

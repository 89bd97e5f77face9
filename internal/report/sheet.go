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
	p.Notes = r.Remarks()
	return p
}

// narrowest is the width below which the algorithm's column is never pressed.
const narrowest = 16

// table is a line for each algorithm, and the reference below them where there is one.
func (r *Run) table() sheet.Table {
	all := r.figures()
	decisions, clock := measure.DecisionMeasures.Shown(measure.Table,
		all), measure.RealClockMeasures.Shown(measure.Table, all)
	t := r.tableOf(append(decisions, clock...), r.rowsWith(func(*Row) bool { return true }))
	if r.Reference == nil {
		return t
	}
	reference := sheet.TableRow{Cells: sheet.Cells(ReferenceLabel), Faint: true}
	for _, m := range decisions {
		reference.Cells = append(reference.Cells, cell(m, all[len(all)-1]))
	}
	for range clock {
		reference.Cells = append(reference.Cells, sheet.Cell{})
	}
	t.Rows = append(t.Rows, reference)
	return t
}

// tableOf has a line for each of the rows, and a column for each of the measures.
func (r *Run) tableOf(measures []*measure.Measure, rows []*Row) sheet.Table {
	t := sheet.Table{Columns: append([]sheet.Column{{Name: "algorithm", Words: true, Narrowest: narrowest}},
		r.columns(measures)...)}
	for _, row := range rows {
		cells := sheet.Cells(row.Algorithm)
		for _, m := range measures {
			cells = append(cells, cell(m, &row.Figures))
		}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: cells})
	}
	return t
}

package report

import (
	"io"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/sheet"
)

// WriteTable writes doc for people: for each run its question and circumstances, a line per algorithm, the
// exact reference below them, and what was expected and not met.
func WriteTable(w io.Writer, doc *Document, t sheet.Terminal) error {
	return doc.sheet().WriteTerminal(w, t)
}

// WriteNext writes a run as WriteTable does, behind others unless it is the first.
func WriteNext(w io.Writer, r *Run, first bool, t sheet.Terminal) error {
	if !first {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return sheet.Sheet{r.part()}.WriteTerminal(w, t)
}

// WriteMarkdown writes a heading, the circumstances and a GitHub table for each run.
func WriteMarkdown(w io.Writer, doc *Document) error { return doc.sheet().WriteMarkdown(w) }

func (d *Document) sheet() (s sheet.Sheet) {
	for i := range d.Runs {
		s = append(s, d.Runs[i].part())
	}
	return append(s, d.examined()...)
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

// table is a line for each algorithm, and the reference below them where there is one. Of rows that decide alike the
// first has the figures, and those below it only what is their own.
func (r *Run) table() sheet.Table {
	all := r.figures()
	decisions := measure.DecisionMeasures.Shown(measure.Table, all)
	beyond := append(measure.RealClockMeasures.Shown(measure.Table, all),
		measure.CostMeasures.Shown(measure.Table, all)...)
	shown := slices.Concat(decisions, beyond)
	var t sheet.Table
	for i, group := range r.Alike() {
		part := r.tableOf(shown, group)
		if i == 0 {
			t.Columns = part.Columns
		}
		for _, same := range part.Rows[1:] {
			same.Cells[0].Text = AlikeMark + same.Cells[0].Text
			for j, m := range shown {
				if !m.Own {
					same.Cells[1+j] = sheet.Cell{}
				}
			}
		}
		t.Rows = append(t.Rows, part.Rows...)
	}
	if r.Reference == nil {
		return t
	}
	reference := sheet.TableRow{Cells: sheet.Cells(ReferenceLabel), Faint: true}
	for _, m := range decisions {
		reference.Cells = append(reference.Cells, cell(m, all[len(all)-1]))
	}
	for range beyond {
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

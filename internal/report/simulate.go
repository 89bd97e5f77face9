package report

import (
	"io"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// writeTable writes doc for people: for each run its question and circumstances, a line per algorithm, the
// exact reference below them, and what was expected and not met.
func writeTable(w io.Writer, doc *result.Document, t Terminal) error {
	return sheetOf(doc).WriteTerminal(w, t)
}

// WriteNext writes a run as the table of a document does, behind others unless it is the first.
func WriteNext(w io.Writer, r *result.Run, first bool, t Terminal) error {
	if !first {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return Sheet{runPart(r)}.WriteTerminal(w, t)
}

func sheetOf(d *result.Document) (s Sheet) {
	for i := range d.Runs {
		s = append(s, runPart(&d.Runs[i]))
	}
	return append(s, examined(d)...)
}

// runPart is what people read of a run.
func runPart(r *result.Run) Part {
	p := Part{Title: r.Scenario, Tables: append([]Table{runTable(r)}, findingTables(r)...)}
	if r.Question != "" {
		p.Lead = append(p.Lead, Line{Text: r.Question})
	}
	p.Lead = append(p.Lead, Line{Text: circumstances(r), Style: Faint})
	if r.Partial {
		p.Lead = append(p.Lead, Line{Text: partialWarning, Style: Alarm})
	}
	p.Notes = Remarks(r)
	return p
}

// narrowest is the width below which the algorithm's column is never pressed.
const narrowest = 16

// runTable is a line for each algorithm, and the reference below them where there is one. Of rows that decide alike the
// first has the figures, and those below it only what is their own.
func runTable(r *result.Run) Table {
	all := r.Figures()
	decisions := measure.DecisionMeasures.Shown(measure.Table, all)
	beyond := measure.CostMeasures.Shown(measure.Table, all)
	shown := slices.Concat(decisions, beyond)
	var t Table
	for i, group := range r.Alike() {
		part := tableOf(r, shown, group)
		if i == 0 {
			t.Columns = part.Columns
		}
		for _, same := range part.Rows[1:] {
			same.Cells[0].Text = AlikeMark + same.Cells[0].Text
			for j, m := range shown {
				if !m.Own {
					same.Cells[1+j] = Cell{}
				}
			}
		}
		t.Rows = append(t.Rows, part.Rows...)
	}
	if r.Reference == nil {
		return t
	}
	reference := TableRow{Cells: Cells(result.ReferenceLabel), Faint: true}
	for _, m := range decisions {
		reference.Cells = append(reference.Cells, cell(m, all[len(all)-1]))
	}
	for range beyond {
		reference.Cells = append(reference.Cells, Cell{})
	}
	t.Rows = append(t.Rows, reference)
	return t
}

// tableOf has a line for each of the rows, and a column for each of the measures.
func tableOf(r *result.Run, measures []*measure.Measure, rows []*result.Row) Table {
	t := Table{Columns: append([]Column{{Name: "algorithm", Words: true, Narrowest: narrowest}},
		columns(r, measures)...)}
	for _, row := range rows {
		cells := Cells(row.Algorithm)
		for _, m := range measures {
			cells = append(cells, cell(m, &row.Figures))
		}
		t.Rows = append(t.Rows, TableRow{Cells: cells})
	}
	return t
}

// TableFormat is the one for people.
const TableFormat = "table"

// DocumentFormats are those of simulate's document.
var DocumentFormats = Formats[*result.Document]{
	{TableFormat, writeTable},
	Everywhere("json", func(w io.Writer, d *result.Document) error { return result.Write(w, d) }),
	Everywhere("csv", writeRows),
	Everywhere("markdown", func(w io.Writer, d *result.Document) error { return sheetOf(d).WriteMarkdown(w) }),
	Everywhere("bench", writeLines),
}

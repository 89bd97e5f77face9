package benchresult

import (
	"io"

	"ratelab/internal/sheet"
)

// usualWidth is that of the tables where no terminal says otherwise.
const usualWidth = 100

// WriteTable writes r for people: what was measured, on what and whether it can be trusted; each scenario; what a
// decision costs; what is unavailable. What must not be relied on says so at the top and at the end.
func WriteTable(w io.Writer, r *Document, t sheet.Terminal) error {
	return r.sheet().WriteTerminal(w, t.Or(usualWidth))
}

// WriteMarkdown writes what the table shows as headings, lists and GitHub tables.
func WriteMarkdown(w io.Writer, r *Document) error {
	return r.sheet().WriteMarkdown(w)
}

// sheet is the whole document in the order in which it is read.
func (r *Document) sheet() (s sheet.Sheet) {
	var warnings sheet.Part
	for _, line := range r.warnings() {
		warnings.Lead = append(warnings.Lead, sheet.Line{Text: line, Style: sheet.Alarm})
	}
	if warnings.Lead != nil {
		s = append(s, warnings)
	}
	opening := r.opening()
	opening.Level = 2
	s = append(s, opening)
	for i := range r.Runs {
		s = append(s, r.Runs[i].part())
	}
	if len(r.Costs) > 0 {
		s = append(s, r.costPart())
	}
	if len(r.Settings.Sweep) > 0 && len(r.Costs) > 0 {
		s = append(s, r.sweepPart())
	}
	if len(r.Costs) > 0 {
		s = append(s, r.memoryPart())
	}
	if lines := r.unavailable(); lines != nil {
		s = append(s, sheet.Part{Title: "Unavailable", Notes: sheet.Items(lines...)})
	}
	if warnings.Lead != nil {
		s = append(s, warnings)
	}
	return s
}

// tableOf has a line for each algorithm, which comes first.
func tableOf(columns ...sheet.Column) sheet.Table {
	return sheet.Table{Columns: append([]sheet.Column{{Name: "algorithm", Words: true, Narrowest: 16}}, columns...)}
}

// add adds a line.
func add(t *sheet.Table, cells ...string) {
	t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(cells...)})
}

package page

import (
	"strings"

	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// newOverview answers at one glance: a line per scenario, a column per algorithm.
func newOverview(doc *report.Document, ids []string) sheet.Sheet {
	names := doc.Everywhere()
	matrix := sheet.Table{Caption: "Overview", Matrix: true, Columns: []sheet.Column{{Name: "scenario", Words: true}}}
	matrix.Columns = append(matrix.Columns, sheet.Numbers(names...)...)
	for i := range doc.Runs {
		r := &doc.Runs[i]
		line := []sheet.Cell{{Text: r.Scenario, Link: "#" + ids[i], Help: r.Question}}
		for _, n := range names {
			line = append(line, overviewCell(r, r.Find(n)))
		}
		matrix.Rows = append(matrix.Rows, sheet.TableRow{Cells: line})
	}
	part := sheet.Part{Title: "Which one?", Level: 2}
	if len(doc.Runs) > 1 {
		if text := doc.Answer(); text != "" {
			part.Lead = append(part.Lead, sheet.Line{Text: text, Style: sheet.Strong})
		}
	}
	part.Lead = append(part.Lead, sheet.Line{Style: sheet.Faint,
		Text: "How many times what the contract allows got through, or after a minus how much of what an exact " +
			"limiter " +
			"lets through was lost, whichever is the larger share: orange for too much let through, blue for too " +
			"much " +
			"lost, the stronger the more. ok: the contract held, and no more than " +
			sheet.Percent(report.Tolerated) + " was lost. <2.00 is a little less than 2."})
	part.Tables = []sheet.Table{matrix}
	return sheet.Sheet{part}
}

// overviewCell is an algorithm in a scenario.
func overviewCell(r *report.Run, row *report.Row) sheet.Cell {
	if row == nil {
		return sheet.Cell{Text: "–"}
	}
	text, level := r.Glance(row)
	if strings.HasPrefix(text, "-") {
		level = -level
	}
	return sheet.Cell{Text: text, Shade: level}
}

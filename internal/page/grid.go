package page

import (
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/report"
)

// tableOf is a table of rows that are named after what decided.
func tableOf(caption string, columns ...report.Column) report.Table {
	return report.Table{Caption: caption, Columns: append([]report.Column{{Name: "algorithm", Words: true}},
		columns...)}
}

// rowOf is a row under its name.
func rowOf(name label, cells ...report.Cell) report.TableRow {
	first := report.Cell{Text: name.Text, Mark: name.class()}
	return report.TableRow{Cells: append([]report.Cell{first}, cells...)}
}

// withoutEmpty drops the columns in which no row has anything, such as the memory that only a real server tells.
func withoutEmpty(t report.Table) report.Table {
	for c := len(t.Columns) - 1; c >= 0; c-- {
		says := func(r report.TableRow) bool { return strings.TrimSpace(r.Cells[c].Text) != "" }
		if slices.ContainsFunc(t.Rows, says) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, c, c+1)
		for i := range t.Rows {
			t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, c, c+1)
		}
	}
	return t
}

func whole(n int64) report.Cell { return report.Cell{Text: message.Grouped(n)} }

func percentage(f float64) report.Cell { return report.Cell{Text: report.Percent(f), Key: key(f)} }

// duration shows µs in the unit that suits them.
func duration(us int64) report.Cell {
	return report.Cell{Text: span(us), Key: strconv.FormatInt(us, 10)}
}

func key(f float64) string { return strconv.FormatFloat(f, 'g', 9, 64) }

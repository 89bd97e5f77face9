package report

import (
	"ratelab/internal/result"
)

// benchSheet is the whole document in the order in which it is read.
func benchSheet(d *result.Document) (s Sheet) {
	var warned Part
	for _, line := range warnings(d.Measurement) {
		warned.Lead = append(warned.Lead, Line{Text: line, Style: Alarm})
	}
	if warned.Lead != nil {
		s = append(s, warned)
	}
	s = append(s, opening(d))
	for i := range d.Runs {
		s = append(s, Played(d, &d.Runs[i]))
	}
	if len(d.Costs) > 0 {
		s = append(s, costPart(d))
		if len(d.Settings.Sweep) > 0 {
			s = append(s, sweepPart(d))
		}
		s = append(s, memoryPart(d))
		if len(fillsIn(d)) == 0 {
			s = append(s, Part{Title: "Unavailable",
				Notes: Items("memory by requests: the server does not tell, or it was not asked")})
		}
	}
	if warned.Lead != nil {
		s = append(s, warned)
	}
	return s
}

// benchTable has a line for each algorithm, which comes first.
func benchTable(columns ...Column) Table {
	return Table{Columns: append([]Column{{Name: "algorithm", Words: true, Narrowest: 16}}, columns...)}
}

// add adds a line.
func add(t *Table, cells ...string) {
	t.Rows = append(t.Rows, TableRow{Cells: Cells(cells...)})
}

// BenchmarkFormats are those of bench's document.
var BenchmarkFormats = Formats{Sheet: benchSheet, Width: 100, CSV: writeBenchRows, Bench: writeBenchLines}

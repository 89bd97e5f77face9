package report

import (
	"io"

	"ratelab/internal/result"
)

// usualWidth is that of the tables where no terminal says otherwise.
const usualWidth = 100

// benchSheet is the whole document in the order in which it is read.
func benchSheet(r *result.Benchmark) (s Sheet) {
	var warned Part
	for _, line := range warnings(&r.Header) {
		warned.Lead = append(warned.Lead, Line{Text: line, Style: Alarm})
	}
	if warned.Lead != nil {
		s = append(s, warned)
	}
	s = append(s, opening(r))
	for i := range r.Runs {
		s = append(s, benchPart(&r.Runs[i]))
	}
	if len(r.Costs) > 0 {
		s = append(s, costPart(r))
		if len(r.Settings.Sweep) > 0 {
			s = append(s, sweepPart(r))
		}
		s = append(s, memoryPart(r))
		if len(fillsOf(r)) == 0 {
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

// BenchmarkFormats are those of bench's document. Its tables have their usual width where no terminal says otherwise.
var BenchmarkFormats = Formats[*result.Benchmark]{
	{TableFormat, func(w io.Writer, r *result.Benchmark, t Terminal) error {
		return benchSheet(r).WriteTerminal(w, t.Or(usualWidth))
	}},
	Everywhere("json", func(w io.Writer, r *result.Benchmark) error { return result.Write(w, r) }),
	Everywhere("csv", writeBenchRows),
	Everywhere("markdown", func(w io.Writer, r *result.Benchmark) error { return benchSheet(r).WriteMarkdown(w) }),
	Everywhere("bench", writeBenchLines),
}

package report_test

import (
	"os"

	"ratelab/internal/report"
)

// A document says once what its parts are. The same sheet is also written as Markdown.
func ExampleSheet() {
	s := report.Sheet{{
		Title: "a burst",
		Lead:  []report.Line{{Text: "limit 1000/3s, 1 key"}},
		Tables: []report.Table{{
			Columns: append([]report.Column{{Name: "algorithm", Words: true}}, report.Numbers("admitted",
				"x\nlimit")...),
			Rows: []report.TableRow{
				{Cells: report.Cells("fixed-window", report.Integer(1999), report.Times(1.98))},
				{Cells: report.Cells("exact reference", report.Integer(1020), report.Times(1)), Faint: true},
			},
		}},
		Notes: report.Items("2 of 2 expectations met"),
	}}
	s.WriteTerminal(os.Stdout, report.Terminal{})
	// Output:
	// a burst
	// limit 1000/3s, 1 key
	//
	// algorithm        admitted      x
	//                            limit
	// ----------------------------------
	// fixed-window         1999   1.98
	// exact reference      1020   1.00
	//
	// 2 of 2 expectations met
}

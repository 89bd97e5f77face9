package sheet_test

import (
	"os"

	"ratelab/internal/sheet"
)

// A document says once what its parts are. The same sheet is also written as Markdown.
func ExampleSheet() {
	s := sheet.Sheet{{
		Title: "a burst",
		Lead:  []sheet.Line{{Text: "limit 1000/3s, 1 key"}},
		Tables: []sheet.Table{{
			Columns: append([]sheet.Column{{Name: "algorithm", Words: true}}, sheet.Numbers("admitted", "x\nlimit")...),
			Rows: []sheet.TableRow{
				{Cells: sheet.Cells("fixed-window", sheet.Integer(1999), sheet.Times(1.98))},
				{Cells: sheet.Cells("exact reference", sheet.Integer(1020), sheet.Times(1)), Faint: true},
			},
		}},
		Notes: sheet.Items("2 of 2 expectations met"),
	}}
	s.WriteTerminal(os.Stdout, sheet.Terminal{})
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

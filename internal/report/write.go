package report

import "ratelab/internal/sheet"

// Forms are those in which a document can be written.
var Forms = sheet.Forms[*Document]{
	{Name: "table", Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("csv",
		WriteCSV), sheet.Everywhere("markdown", WriteMarkdown),
	sheet.Everywhere("bench", WriteBench),
}

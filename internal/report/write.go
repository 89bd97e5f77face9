package report

import "ratelab/internal/sheet"

// TableForm is the one for people.
const TableForm = "table"

// Forms are those in which a document can be written.
var Forms = sheet.Forms[*Document]{
	{Name: TableForm, Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("csv",
		WriteCSV), sheet.Everywhere("markdown", WriteMarkdown),
	sheet.Everywhere("bench", WriteBench),
}

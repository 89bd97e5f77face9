package compare

import (
	"io"

	"ratelab/internal/sheet"
)

// Forms are those in which a comparison can be written; bench has both sides in one file, see WriteBench.
var Forms = sheet.Forms[*Report]{
	{Name: "table", Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("markdown",
		WriteMarkdown),
	sheet.Everywhere("bench", func(w io.Writer, r *Report) error { return WriteBench(w, r, "") }),
}

package regress

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/sheet"
	"ratelab/internal/wording"
)

// Formats lists the names that Write knows, the default first.
func Formats() []string { return []string{"table", "json", "markdown", "bench"} }

// Write writes the comparison in the named format; t matters to the table only; bench has both sides in one
// file, see WriteBench.
func Write(w io.Writer, format string, r *Report, t sheet.Terminal) error {
	switch format {
	case "table":
		return WriteTable(w, r, t)
	case "json":
		return WriteJSON(w, r)
	case "markdown":
		return WriteMarkdown(w, r)
	case "bench":
		return WriteBench(w, r, "")
	}
	return fmt.Errorf("format %s: want one of %s", wording.Quote(format), strings.Join(Formats(), ", "))
}

package recording

import (
	"fmt"
	"io"

	"ratelab/internal/sheet"
	"ratelab/internal/wording"
)

// formats are the forms in which a recording can be written, by the names that the command uses.
var formats = map[string]func(io.Writer, *Recording, sheet.Terminal) error{
	"table":    WriteTable,
	"json":     plain(WriteJSON),
	"csv":      plain(WriteCSV),
	"markdown": plain(WriteMarkdown),
	"bench":    plain(WriteBench),
}

func plain(write func(io.Writer, *Recording) error) func(io.Writer, *Recording, sheet.Terminal) error {
	return func(w io.Writer, r *Recording, _ sheet.Terminal) error { return write(w, r) }
}

// Formats lists the names that Write knows, the default first.
func Formats() []string { return []string{"table", "json", "csv", "markdown", "bench"} }

// Write writes r in the named format; t matters to the table only.
func Write(w io.Writer, format string, r *Recording, t sheet.Terminal) error {
	write := formats[format]
	if write == nil {
		return fmt.Errorf("format %s: %s", wording.Quote(format), wording.OneOf(format, Formats()))
	}
	return write(w, r, t)
}

package recording

import (
	"fmt"
	"io"

	"ratelab/internal/wording"
)

// formats are the forms in which a recording can be written, by the names that the command uses.
var formats = map[string]func(io.Writer, *Recording, TableOptions) error{
	"table":    WriteTable,
	"json":     plain(WriteJSON),
	"csv":      plain(WriteCSV),
	"markdown": plain(WriteMarkdown),
	"bench":    plain(WriteBench),
}

func plain(write func(io.Writer, *Recording) error) func(io.Writer, *Recording, TableOptions) error {
	return func(w io.Writer, r *Recording, _ TableOptions) error { return write(w, r) }
}

// Formats lists the names that Write knows, the default first.
func Formats() []string { return []string{"table", "json", "csv", "markdown", "bench"} }

// Write writes r in the named format; opts matter to the table only.
func Write(w io.Writer, format string, r *Recording, opts TableOptions) error {
	write := formats[format]
	if write == nil {
		return fmt.Errorf("format %s: %s", wording.Quote(format), wording.OneOf(format, Formats()))
	}
	return write(w, r, opts)
}

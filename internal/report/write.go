package report

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/sheet"
)

// formats are the forms in which a document can be written, by the names that the command uses.
var formats = map[string]func(io.Writer, *Document, sheet.Terminal) error{
	"table":    WriteTable,
	"json":     plain(WriteJSON),
	"csv":      plain(WriteCSV),
	"markdown": plain(WriteMarkdown),
	"bench":    plain(WriteBench),
}

func plain(write func(io.Writer, *Document) error) func(io.Writer, *Document, sheet.Terminal) error {
	return func(w io.Writer, d *Document, _ sheet.Terminal) error { return write(w, d) }
}

// Formats lists the names that Write knows, the default first.
func Formats() []string { return []string{"table", "json", "csv", "markdown", "bench"} }

// Write writes doc in the named format; t matters to the table only.
func Write(w io.Writer, format string, doc *Document, t sheet.Terminal) error {
	write := formats[format]
	if write == nil {
		return fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats(), ", "))
	}
	return write(w, doc, t)
}

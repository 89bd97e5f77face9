package report

import (
	"fmt"
	"io"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Formats are those in which the document of a command is written: the tables of its sheet for people, JSON and
// Markdown, and what else there is.
type Formats struct {
	Sheet func(*result.Document) Sheet
	Width int // of the tables where no terminal says otherwise; 0: as wide as they get
	// CSV and Bench are nil where there is no such format. Bench is that of Go benchmarks, which benchstat reads.
	CSV, Bench func(io.Writer, *result.Document) error
}

// TableFormat is the one for people.
const TableFormat = "table"

// Names are those of the formats, the default first.
func (f *Formats) Names() []string {
	names := []string{TableFormat, "json"}
	if f.CSV != nil {
		names = append(names, "csv")
	}
	names = append(names, "markdown")
	if f.Bench != nil {
		names = append(names, "bench")
	}
	return names
}

// Write writes d in the format of that name; t matters to tables only.
func (f *Formats) Write(w io.Writer, name string, d *result.Document, t Terminal) error {
	switch {
	case name == TableFormat:
		return f.Sheet(d).WriteTerminal(w, t.Or(f.Width))
	case name == "json":
		return result.Write(w, d)
	case name == "markdown":
		return f.Sheet(d).WriteMarkdown(w)
	case name == "csv" && f.CSV != nil:
		return f.CSV(w, d)
	case name == "bench" && f.Bench != nil:
		return f.Bench(w, d)
	}
	return fmt.Errorf("format %s: %s", message.Quote(name), message.OneOf(name, f.Names()))
}

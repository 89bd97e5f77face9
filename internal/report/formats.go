package report

import (
	"fmt"
	"io"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Formats are the formats of a command's document: the tables of its sheet for people, JSON and Markdown, and optional
// others.
type Formats struct {
	Sheet func(*result.Document) Sheet
	Width int // of the tables if no terminal gives a width; 0: unlimited
	// CSV and Bench are nil if the document has no such format. Bench is the Go benchmark format, which benchstat
	// reads.
	CSV, Bench func(io.Writer, *result.Document) error
}

// TableFormat is the format for people.
const TableFormat = "table"

// Names returns the names of the formats, the default first.
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

// Write writes d in the format with that name. t matters only for tables.
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

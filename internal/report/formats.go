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
	// Verdicts returns the verdicts of a document, for JUnit and SARIF; nil: the document has none. SARIF adds that
	// format.
	Verdicts func(*result.Document) []result.Verdict
	SARIF    bool
	Metrics  bool // the formats of metrics, for tools that keep a history
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
	if f.Verdicts != nil {
		names = append(names, "junit")
	}
	if f.SARIF {
		names = append(names, "sarif")
	}
	if f.Metrics {
		names = append(names, metricNames...)
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
	case name == "junit" && f.Verdicts != nil:
		return writeJUnit(w, d, f.Verdicts(d))
	case name == "sarif" && f.SARIF:
		return writeSARIF(w, d, f.Verdicts(d))
	case metricFormats[name] != nil && f.Metrics:
		return metricFormats[name](w, metrics(d))
	}
	return fmt.Errorf("format %s: %s", message.Quote(name), message.OneOf(name, f.Names()))
}

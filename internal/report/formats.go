package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ratelab/internal/atomicfile"
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
		names = append(names, "openmetrics", "benchmark-action", "bmf")
	}
	return names
}

// WriteReport writes the JSON, Markdown, JUnit and SARIF of a document with verdicts into a folder, if the folder has a
// name. Files are named after the command and the head: simulate-check.limits.sarif.
func (f *Formats) WriteReport(folder string, d *result.Document) error {
	if folder == "" {
		return nil
	}
	err := os.MkdirAll(folder, 0o755)
	for _, format := range f.Names() {
		ending := map[string]string{"json": ".json", "markdown": ".md", "junit": ".xml", "sarif": ".sarif"}[format]
		if ending == "" || err != nil {
			continue
		}
		err = atomicfile.Write(filepath.Join(folder, reportName(d, f.Verdicts(d))+ending), func(w io.Writer) error {
			return f.Write(w, format, d, Terminal{})
		})
	}
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// reportName returns the name of a report, such as simulate-check.limits.
func reportName(d *result.Document, verdicts []result.Verdict) string {
	head := strings.TrimSuffix(filepath.Base(verdicts[0].Head), ".lua")
	return strings.ReplaceAll(string(d.Command), " ", "-") + "." + noFileName.ReplaceAllString(head, "-")
}

// noFileName matches characters that are no part of a report's name.
var noFileName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

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
	case name == "openmetrics" && f.Metrics:
		return writeOpenMetrics(w, metrics(d))
	case name == "benchmark-action" && f.Metrics:
		return writeBenchmarkAction(w, metrics(d))
	case name == "bmf" && f.Metrics:
		return writeBMF(w, metrics(d))
	}
	return fmt.Errorf("format %s: %s", message.Quote(name), message.OneOf(name, f.Names()))
}

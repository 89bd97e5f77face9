package report

import (
	"fmt"
	"io"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Simulated has the options for showing simulate's document.
type Simulated struct {
	Columns []string // the measures of the first table; nil: the usual ones
	Several bool     // each run begins with the name of its scenario
	Matrix  bool     // a matrix instead of a part for each run
	Charts  string   // the folder with the charts; "": no charts
	Next    string   // the suggested next command; "": none
}

// textWidth is the width of paragraphs if the output is not a terminal.
const textWidth = 82

// WriteRun writes a run for people. An empty line precedes each run except the first.
func (s Simulated) WriteRun(w io.Writer, r *result.Run, first bool, t Terminal) error {
	if !first {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	t.Text = textWidth
	return Sheet{s.part(r)}.WriteTerminal(w, t)
}

// Formats returns the formats of the document.
func (s Simulated) Formats() *Formats {
	return &Formats{Sheet: s.sheet, CSV: s.writeRows, Bench: writeLines, Metrics: true}
}

// next begins a line with a command, which is never broken.
const next = "Next"

// sheet returns a part for each run, and one for each script that was examined.
func (s Simulated) sheet(d *result.Document) Sheet {
	if s.Matrix {
		return append(Matrices(d, nil), examined(d)...)
	}
	s.Several = true
	return append(each(d.Runs, func(r result.Run) Part { return s.part(&r) }), examined(d)...)
}

// part returns the question and the circumstances, the tables, and the conclusions.
func (s Simulated) part(r *result.Run) Part {
	var columns []*measure.Measure
	for _, name := range s.Columns {
		m, _ := measure.Find(name)
		columns = append(columns, m)
	}
	p := Part{Tables: Tables(r, measure.Table, columns)}
	if s.Several || r.Question == "" {
		p.Title = r.Scenario
	}
	if r.Question != "" {
		p.Lead = append(p.Lead, Line{Text: r.Question})
	}
	p.Lead = append(p.Lead, Line{Text: circumstances(r), Style: Faint})
	if r.Partial {
		p.Lead = append(p.Lead, Line{Text: partialWarning, Style: Alarm})
	}
	lines := append([]string{Keepers(r, nil), alikeSentence(r)}, undecided(r)...)
	p.Notes = Items(filled(lines)...)
	charts := ""
	if s.Charts != "" {
		charts = "Charts are in " + message.Path(s.Charts) + "."
	}
	p.Notes = append(p.Notes, expectationLines(r, charts)...)
	p.Notes = append(p.Notes, Items(remarks(r)...)...)
	if s.Next != "" {
		p.Notes = append(p.Notes, Line{Term: next, Text: s.Next})
	}
	return p
}

// CheckColumns returns an error for a column that the format lacks. In CSV columns are fields, elsewhere measures.
func CheckColumns(names []string, format string) error {
	all := measure.Names(measure.Table | measure.Written)
	if format == "csv" {
		all = CSVColumns()
	}
	for _, name := range names {
		if m, _ := measure.Find(name); slices.Contains(all, name) || m != nil && format != "csv" {
			continue
		}
		if now := measure.Renamed[name]; now != "" {
			return fmt.Errorf("%s is called %s", message.Quote(name), now)
		}
		return fmt.Errorf("%s is not a column; %s", message.Quote(name), message.OneOf(name, all))
	}
	return nil
}

package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"ratelab/internal/sheet"
)

// Picture is what a server's wall clock measured of a scenario.
type Picture struct {
	Path  string // from the page
	By    string // the server
	Trust string // how far the times can be relied on
}

// WritePage writes the committed results as a Markdown page: an overview, then for each scenario its table and
// the picture of its rolling window, which lies in the folder charts beside the page, and that of what was measured
// where there is one by the scenario's name.
func WritePage(w io.Writer, doc *Document, charts string, measured map[string]Picture) error {
	var out bytes.Buffer
	out.WriteString("# Results\n\n" +
		"Every figure and picture on this page was made by `make results`, and `simulate check` decides everything\n" +
		"again and compares, exactly. One scenario alone: `go run ./cmd/simulate NAME`.\n\n" +
		"The same as one page for a browser, with values at the cursor: [index.html](index.html). The worst traffic " +
		"found for\n" +
		"each algorithm: [worst](worst/README.md).\n\n")
	if len(measured) > 0 {
		out.WriteString("Only response times are no decisions: they were measured by `make results-bench`: " +
			"[bench](bench/README.md).\n\n")
	}
	out.WriteString("## The highest rolling window, as a multiple of the limit\n\n" +
		"Above 1 an algorithm admitted more than the limit within one window. A burst is a capacity, so a bucket\n" +
		"may: compare rows with the same burst. The links lead to the scenarios.\n\n")
	if err := (sheet.Sheet{{Tables: []sheet.Table{doc.overview()}}}).WriteMarkdown(&out); err != nil {
		return err
	}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		out.WriteString("\n")
		if err := (sheet.Sheet{r.part()}).WriteMarkdown(&out); err != nil {
			return err
		}
		out.WriteString("\n")
		picture, played := measured[r.Scenario]
		if played {
			out.WriteString("Decided in virtual time, exact:\n\n")
		}
		fmt.Fprintf(&out, "![%s: admitted in the rolling window, against the limit](%s/%s.window.svg)\n\n",
			sheet.EscapeMarkdown(r.Scenario), charts, r.Scenario)
		if played {
			picture.write(&out, r.Scenario)
		}
		fmt.Fprintf(&out, "More charts: [index.html](index.html#%[1]s), or with their data `go run ./cmd/simulate "+
			"%[1]s`.\n", r.Scenario)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (p *Picture) write(out *bytes.Buffer, scenario string) {
	fmt.Fprintf(out, "Measured on the wall clock of %s; %s:\n\n", sheet.EscapeMarkdown(p.By),
		sheet.EscapeMarkdown(p.Trust))
	fmt.Fprintf(out, "![%s: offered and let through, the rolling window and response times, over time](%s)\n\n",
		sheet.EscapeMarkdown(scenario), p.Path)
}

// overview has a line for each scenario and a column for each algorithm that is in all of them.
func (d *Document) overview() sheet.Table {
	labels := d.Everywhere()
	t := sheet.Table{Columns: append([]sheet.Column{{Name: "scenario", Words: true}}, sheet.Numbers(labels...)...)}
	for i := range d.Runs {
		r := &d.Runs[i]
		cells := []sheet.Cell{{Text: r.Scenario, Link: "#" + r.Scenario}}
		for _, label := range labels {
			c := sheet.Cell{Text: sheet.Absent}
			if row := r.Find(label); row != nil {
				c.Text = sheet.Times(row.Overshoot)
			}
			cells = append(cells, c)
		}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: cells})
	}
	return t
}

// Everywhere are the names of the rows that every run has, in the order of the first run; of all rows, where no row is
// in every run.
func (d *Document) Everywhere() []string {
	var common, every []string
	for i := range d.Runs {
		for j := range d.Runs[i].Results {
			n := d.Runs[i].Results[j].Algorithm
			if slices.Contains(every, n) {
				continue
			}
			every = append(every, n)
			if !slices.ContainsFunc(d.Runs, func(r Run) bool { return r.Find(n) == nil }) {
				common = append(common, n)
			}
		}
	}
	if common == nil {
		return every
	}
	return common
}

// Find is the row of that name, or nil.
func (r *Run) Find(name string) *Row {
	for i := range r.Results {
		if r.Results[i].Algorithm == name {
			return &r.Results[i]
		}
	}
	return nil
}

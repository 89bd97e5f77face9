package report

import (
	"bytes"
	"fmt"
	"io"

	"ratelab/internal/result"
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
func WritePage(w io.Writer, doc *result.Document, charts string, measured map[string]Picture) error {
	var out bytes.Buffer
	out.WriteString("# Results\n\n" +
		"Every figure and picture on this page was made by `make results`, and `simulate check` decides everything\n" +
		"again and compares, exactly. One scenario alone: `go run ./cmd/simulate NAME`.\n\n" +
		"The same as one page for a browser, with values at the cursor: [index.html](index.html).\n\n")
	if len(measured) > 0 {
		out.WriteString("Only response times are no decisions: they were measured by `make results-bench`: " +
			"[bench](bench/README.md).\n\n")
	}
	matrix := Matrix(doc)
	for i := range matrix.Rows {
		matrix.Rows[i].Cells[0].Link = "#" + doc.Runs[i].Scenario
	}
	glance := Part{Title: "At a glance", Level: 2, Lead: []Line{{Text: glanceKey + ". A burst is a capacity, so a " +
		"bucket may let more through: compare rows with the same burst."}}, Tables: []Table{matrix}}
	if err := (Sheet{glance}).WriteMarkdown(&out); err != nil {
		return err
	}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		out.WriteString("\n")
		if err := (Sheet{runPart(r)}).WriteMarkdown(&out); err != nil {
			return err
		}
		out.WriteString("\n")
		picture, played := measured[r.Scenario]
		if played {
			out.WriteString("Decided in virtual time, exact:\n\n")
		}
		fmt.Fprintf(&out, "![%s: admitted in the rolling window, against the limit](%s/%s.window.svg)\n\n",
			EscapeMarkdown(r.Scenario), charts, r.Scenario)
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
	fmt.Fprintf(out, "Measured on the wall clock of %s; %s:\n\n", EscapeMarkdown(p.By),
		EscapeMarkdown(p.Trust))
	fmt.Fprintf(out, "![%s: offered and let through, the rolling window and response times, over time](%s)\n\n",
		EscapeMarkdown(scenario), p.Path)
}

package report

import (
	"bytes"
	"fmt"
	"io"

	"ratelab/internal/sheet"
)

// WritePage writes the committed results as a Markdown page: an overview, then for each scenario its table and
// the picture of its rolling window, which lies in the folder charts beside the page.
func WritePage(w io.Writer, doc *Document, charts string) error {
	var out bytes.Buffer
	out.WriteString("# Results\n\n" +
		"Every figure and picture on this page was made by `make results`, and `simulate check` decides everything\n" +
		"again and compares, exactly. One scenario alone: `go run ./cmd/simulate NAME`.\n\n" +
		"The same as one page for a browser, with values at the cursor: [index.html](index.html). The worst traffic " +
		"found for\n" +
		"each algorithm: [worst](worst/README.md). What each costs on a real server: [bench](bench/README.md).\n\n" +
		"## The highest rolling window, as a multiple of the limit\n\n" +
		"Above 1 an algorithm admitted more than the limit within one window. A burst is a capacity, so a bucket\n" +
		"may: compare rows with the same burst. The links lead to the scenarios.\n\n")
	overview(&out, doc)
	for i := range doc.Runs {
		r := &doc.Runs[i]
		out.WriteString("\n")
		if err := (sheet.Sheet{r.part()}).WriteMarkdown(&out); err != nil {
			return err
		}
		out.WriteString("\n")
		fmt.Fprintf(&out, "![%s: admitted in the rolling window, against the limit](%s/%s.window.svg)\n\n",
			sheet.EscapeMarkdown(r.Scenario), charts, r.Scenario)
		fmt.Fprintf(&out, "More charts: [index.html](index.html#%[1]s), or with their data `go run ./cmd/simulate "+
			"%[1]s`.\n", r.Scenario)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// overview has a line for each scenario and a column for each algorithm that is in all of them.
func overview(out *bytes.Buffer, doc *Document) {
	labels := common(doc)
	head, rule := "| scenario |", "|:---|"
	for _, label := range labels {
		head += " " + sheet.EscapeMarkdown(label) + " |"
		rule += "---:|"
	}
	fmt.Fprintf(out, "%s\n%s\n", head, rule)
	for i := range doc.Runs {
		r := &doc.Runs[i]
		fmt.Fprintf(out, "| [%s](#%s) |", sheet.EscapeMarkdown(r.Scenario), r.Scenario)
		for _, label := range labels {
			for _, row := range r.Results {
				if row.Algorithm == label {
					fmt.Fprintf(out, " %s |", sheet.EscapeMarkdown(sheet.Times(row.Overshoot)))
				}
			}
		}
		out.WriteString("\n")
	}
}

// common are the labels of the first run that every run has.
func common(doc *Document) []string {
	count := map[string]int{}
	for _, r := range doc.Runs {
		for _, row := range r.Results {
			count[row.Algorithm]++
		}
	}
	var labels []string
	if len(doc.Runs) > 0 {
		for _, row := range doc.Runs[0].Results {
			if count[row.Algorithm] == len(doc.Runs) {
				labels = append(labels, row.Algorithm)
			}
		}
	}
	return labels
}

package regress

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"ratelab/internal/report"
)

// WriteMarkdown writes the comparison for a pull request: the verdict in the first line, what changed, what could not
// be judged and what would help, and every comparison folded away. Names show as they were written; none is markup.
func WriteMarkdown(w io.Writer, r *Report) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**: %s\n\n", report.EscapeMarkdown(r.headline()), report.EscapeMarkdown(r.described()))
	r.markdownGates(&out)
	r.markdownChanges(&out)
	if lines := r.remarks(); len(lines) > 0 {
		out.WriteString("\n- " + strings.Join(lines, "\n- ") + "\n")
	}
	r.markdownDetails(&out)
	_, err := w.Write(out.Bytes())
	return err
}

// remarks are the lines below the tables: what could not be judged, what would help, and what a reader must know.
func (r *Report) remarks() []string {
	var lines []string
	for i := range r.Gates {
		g := &r.Gates[i]
		if !g.has(Inconclusive) && (g.Outcome != Noted || g.Name == GateClientP99) {
			continue
		}
		for _, reason := range g.Reasons {
			lines = append(lines, g.Name+" not judged: "+report.EscapeMarkdown(reason))
		}
	}
	for _, remedy := range r.Verdict.Remedies {
		lines = append(lines, "to do: "+report.EscapeMarkdown(remedy))
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+report.EscapeMarkdown(note))
	}
	return lines
}

func (r *Report) markdownGates(out *bytes.Buffer) {
	out.WriteString("| gate | outcome | compared |\n|:---|:---|:---|\n")
	for i := range r.Gates {
		g := &r.Gates[i]
		fmt.Fprintf(out, "| %s | %s | %s |\n", g.Name, emphasised(g.Outcome), report.EscapeMarkdown(g.summary()))
	}
}

func emphasised(o Outcome) string {
	if o == Regression || o == Inconclusive {
		return "**" + outcomeWord(o) + "**"
	}
	return outcomeWord(o)
}

// markdownChanges is the table of what became worse or better.
func (r *Report) markdownChanges(out *bytes.Buffer) {
	var rows []string
	for _, outcome := range []Outcome{Regression, Improvement} {
		for i := range r.Gates {
			g := &r.Gates[i]
			for j := range g.Rows {
				if g.Rows[j].Outcome == outcome {
					rows = append(rows, markdownRow(g.Name, &g.Rows[j]))
				}
			}
		}
	}
	if rows == nil {
		return
	}
	const most = 30
	out.WriteString("\n" + r.markdownHead())
	out.WriteString(strings.Join(rows[:min(len(rows), most)], ""))
	if more := len(rows) - most; more > 0 {
		fmt.Fprintf(out, "\n- and %d more below\n", more)
	}
}

func (r *Report) markdownHead() string {
	names := r.sideNames()
	return fmt.Sprintf("| gate | algorithm | measure | %s | %s | ratio [95 %% interval] | p (Holm) | noise floor | outcome |\n"+
		"|:---|:---|:---|---:|---:|---:|---:|---:|:---|\n", names[0], names[1])
}

// markdownRow is a row of any gate; counted figures have no ratio.
func markdownRow(gate string, row *Row) string {
	ratio, p, floor := "", "", ""
	if row.Timing != nil {
		ratio, p, floor = report.EscapeMarkdown(row.Timing.ratioText()), report.EscapeMarkdown(row.pText()), row.Timing.floorText()
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", gate, report.EscapeMarkdown(row.label()), report.EscapeMarkdown(row.Measure),
		report.EscapeMarkdown(short(row.Base)), report.EscapeMarkdown(short(row.Head)), ratio, p, floor, emphasised(row.Outcome))
}

// mostDetails is how many rows are unfolded at most: GitHub refuses a comment of more than 65,536 characters.
const mostDetails = 200

// markdownDetails is every timing and every count that differs, folded. The blank lines make GitHub read tables inside
// HTML.
func (r *Report) markdownDetails(out *bytes.Buffer) {
	out.WriteString("\n<details>\n<summary>every comparison</summary>\n\n")
	left := mostDetails
	for i := range r.Gates {
		g := &r.Gates[i]
		rows := g.details()
		fmt.Fprintf(out, "%s: %s\n\n", g.Name, report.EscapeMarkdown(g.Rule))
		if len(rows) > 0 && left > 0 {
			out.WriteString(r.markdownHead() + strings.Join(rows[:min(left, len(rows))], "") + "\n")
		}
		if more := len(rows) - left; more > 0 {
			fmt.Fprintf(out, "and %d more: the JSON has them\n\n", more)
		}
		if same := g.count(Same); !g.timed() && same > 0 {
			fmt.Fprintf(out, "%d the same\n\n", same)
		}
		left = max(0, left-len(rows))
	}
	out.WriteString("</details>\n")
}

// details are a gate's rows, a second run below its first, without what was counted and is the same.
func (g *Gate) details() []string {
	var rows []string
	for i := range g.Rows {
		row := g.Rows[i]
		if !g.timed() && row.Outcome == Same {
			continue
		}
		rows = append(rows, markdownRow(g.Name, &row))
		if row.Timing != nil && row.Timing.Confirm != nil && row.Timing.Confirm.Samples > 0 {
			row.Algorithm, row.Timing = "second run of "+row.Algorithm, row.Timing.Confirm
			row.Base, row.Head = Value{}, Value{}
			rows = append(rows, markdownRow(g.Name, &row))
		}
	}
	return rows
}

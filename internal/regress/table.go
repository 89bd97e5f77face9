package regress

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/report"
)

// The table keeps within width where the labels allow it; the label's column is never pressed below narrowest.
const (
	width     = 100
	narrowest = 12
	mostLines = 12 // of findings
)

// WriteTable writes the comparison for people: the verdict, each gate in a line, what was found and what would help,
// then the timings that changed, or all of a few. It is ASCII unless a name is not. Nothing in it steers a terminal.
func WriteTable(w io.Writer, r *Report) error {
	var out bytes.Buffer
	line(&out, "", r.headline())
	line(&out, "", r.described())
	fmt.Fprintf(&out, "\n%s\n", r.gateTable())
	r.findings(&out)
	if rows := r.timingTable(); rows != "" {
		fmt.Fprintf(&out, "\n%s\n", rows)
	}
	if len(r.Notes) > 0 {
		out.WriteByte('\n')
	}
	for _, note := range r.Notes {
		line(&out, "", "note: "+note)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// line writes one line, broken between words at the width.
func line(out *bytes.Buffer, indent, s string) {
	wrapped := report.TrimRight(text.WrapSoft(report.Printable(s), width-len(indent)))
	for l := range strings.SplitSeq(wrapped, "\n") {
		out.WriteString(indent + l + "\n")
	}
}

func (r *Report) gateTable() string {
	t := plain()
	t.AppendHeader(table.Row{"gate", "outcome", "compared"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, WidthMax: 72}})
	for i := range r.Gates {
		g := &r.Gates[i]
		t.AppendRow(table.Row{g.Name, outcomeWord(g.Outcome), report.Printable(g.summary())})
	}
	return report.TrimRight(t.Render())
}

// findings writes the verdict's sentences, the remedies, and why gates were left out.
func (r *Report) findings(out *bytes.Buffer) {
	var lines []string
	lines = append(lines, capped(r.Verdict.Findings, mostLines)...)
	for i := range r.Gates {
		g := &r.Gates[i]
		if g.Outcome != Noted || g.Name == GateClientP99 {
			continue
		}
		for _, reason := range g.Reasons {
			lines = append(lines, fmt.Sprintf("not judged %s: %s", g.Name, reason))
		}
	}
	for _, remedy := range r.Verdict.Remedies {
		lines = append(lines, "to do: "+remedy)
	}
	if len(lines) > 0 {
		out.WriteByte('\n')
	}
	for _, l := range lines {
		line(out, "", l)
	}
}

// timingTable is the timings worth showing, or nothing.
func (r *Report) timingTable() string {
	rendered := r.renderTimings(0)
	excess := text.LongestLineLen(rendered) - width
	if excess <= 0 {
		return rendered
	}
	longest := 0
	for i := range r.Gates {
		if !r.Gates[i].timed() {
			continue
		}
		for _, row := range r.Gates[i].worthShowing() {
			longest = max(longest, text.StringWidthWithoutEscSequences(row.label()))
		}
	}
	return r.renderTimings(max(longest-excess, narrowest))
}

func (r *Report) renderTimings(labelWidth int) string {
	t, names, toControl := plain(), r.sideNames(), r.hasToControl()
	heading := table.Row{"timing", "algorithm", names[0] + "\nus", names[1] + "\nus", r.ratioHeading()}
	if toControl {
		heading = append(heading, "to\ncontrol")
	}
	t.AppendHeader(append(heading, "p\n(Holm)", "noise\nfloor", "outcome"))
	t.SetColumnConfigs(columns(labelWidth, len(heading)))
	any := false
	for i := range r.Gates {
		g := &r.Gates[i]
		if !g.timed() {
			continue
		}
		for _, row := range g.worthShowing() {
			any = true
			t.AppendRow(timingCells(g.Name, report.Printable(row.label()), &row, toControl))
			if confirm := row.Timing.Confirm; confirm != nil && confirm.Samples > 0 {
				again := Row{Outcome: row.Outcome, Timing: confirm}
				t.AppendRow(timingCells("", "  second run", &again, toControl))
			}
		}
	}
	if !any {
		return ""
	}
	return report.TrimRight(t.Render())
}

// ratioHeading says of what the ratio is the median: of pairs it need not be that of the medians beside it.
func (r *Report) ratioHeading() string {
	if r.Way == WayFiles {
		return "ratio [95 %\ninterval]"
	}
	return "pairs' ratio\n[95 % interval]"
}

func timingCells(gate, label string, row *Row, toControl bool) table.Row {
	cells := table.Row{gate, label, row.Base, row.Head, row.Timing.ratioText()}
	if toControl {
		text := "-"
		if ratio := row.Timing.RatioToControl; ratio != nil {
			text = times(*ratio)
		}
		cells = append(cells, text)
	}
	outcome := outcomeWord(row.Outcome)
	if gate == "" {
		outcome = ""
	}
	return append(cells, row.pText(), row.Timing.floorText(), outcome)
}

// hasToControl reports whether a ratio to the control tells more than the ratio: where each side has a control.
func (r *Report) hasToControl() bool {
	return slices.ContainsFunc(r.Gates, func(g Gate) bool {
		return slices.ContainsFunc(g.Rows, func(row Row) bool { return row.Timing != nil && row.Timing.RatioToControl != nil })
	})
}

func columns(labelWidth, before int) []table.ColumnConfig {
	list := []table.ColumnConfig{{Number: 2, WidthMax: labelWidth, WidthMaxEnforcer: report.WrapLabel}}
	for n := 3; n <= before+2; n++ {
		list = append(list, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return list
}

func plain() table.Writer {
	t := table.NewWriter()
	t.SetStyle(report.PlainStyle())
	return t
}

package recording

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"ratelab/internal/report"
)

// WriteMarkdown writes what the table shows as headings, lists and GitHub tables. Names show as they were written and
// mark up nothing.
func WriteMarkdown(w io.Writer, r *Recording) error {
	var out bytes.Buffer
	markdownWarnings(&out, r.warnings())
	for i, s := range r.sections() {
		level := "###"
		if i == 0 {
			level = "##"
		}
		fmt.Fprintf(&out, "%s %s\n\n", level, report.EscapeMarkdown(s.title))
		if len(s.grid.rows) == 0 {
			markdownList(&out, append(s.lines, s.notes...))
			continue
		}
		markdownList(&out, s.lines)
		markdownGrid(&out, &s.grid)
		markdownList(&out, s.notes)
	}
	markdownWarnings(&out, r.warnings())
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

func markdownWarnings(out *bytes.Buffer, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(out, "**%s**\n\n", report.EscapeMarkdown(line))
	}
}

func markdownList(out *bytes.Buffer, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", report.EscapeMarkdown(line))
	}
	if len(lines) > 0 {
		out.WriteByte('\n')
	}
}

func markdownGrid(out *bytes.Buffer, g *grid) {
	var heads, rules []string
	for _, c := range g.columns {
		rule := "---:"
		if c.text {
			rule = ":---"
		}
		heads, rules = append(heads, report.EscapeMarkdown(c.heading())), append(rules, rule)
	}
	markdownRow(out, heads)
	markdownRow(out, rules)
	for _, row := range g.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = report.EscapeMarkdown(cell)
		}
		markdownRow(out, cells)
	}
	out.WriteByte('\n')
}

func markdownRow(out *bytes.Buffer, cells []string) {
	out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

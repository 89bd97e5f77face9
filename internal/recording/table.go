package recording

import (
	"bytes"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/report"
)

// TableOptions say how a terminal shows the tables.
type TableOptions struct {
	Width int // columns to keep within where the labels allow it; 0 for 100
}

const (
	defaultWidth  = 100
	narrowestName = 16 // the algorithm's column is never pressed below this
)

// WriteTable writes r for people: what was measured, on what and whether it can be trusted; each scenario; what a
// decision costs; what is unavailable. What must not be relied on says so at the top and at the end.
func WriteTable(w io.Writer, r *Recording, opts TableOptions) error {
	if opts.Width == 0 {
		opts.Width = defaultWidth
	}
	var out bytes.Buffer
	opts.paragraphs(&out, r.warnings())
	for i, s := range r.sections() {
		if i > 0 || out.Len() > 0 {
			out.WriteByte('\n')
		}
		opts.section(&out, &s)
	}
	if warnings := r.warnings(); warnings != nil {
		out.WriteByte('\n')
		opts.paragraphs(&out, warnings)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (o TableOptions) section(out *bytes.Buffer, s *section) {
	o.paragraphs(out, append([]string{s.title}, s.lines...))
	if len(s.grid.rows) > 0 {
		out.WriteString("\n" + o.grid(&s.grid) + "\n")
		if s.notes != nil {
			out.WriteByte('\n')
		}
	}
	o.paragraphs(out, s.notes)
}

// paragraphs breaks each line between words at the width; what is carried over is indented.
func (o TableOptions) paragraphs(out *bytes.Buffer, lines []string) {
	for _, line := range lines {
		wrapped := report.TrimRight(text.WrapSoft(report.Printable(line), o.Width-2))
		out.WriteString(strings.ReplaceAll(wrapped, "\n", "\n  ") + "\n")
	}
}

// grid renders g, and once more with a narrower first column where it came out too wide.
func (o TableOptions) grid(g *grid) string {
	rendered := render(g, 0)
	excess := text.LongestLineLen(rendered) - o.Width
	if excess <= 0 {
		return rendered
	}
	longest := 0
	for _, row := range g.rows {
		longest = max(longest, text.StringWidthWithoutEscSequences(row[0]))
	}
	return render(g, max(longest-excess, narrowestName))
}

func render(g *grid, firstWidth int) string {
	t := table.NewWriter()
	t.SetStyle(report.PlainStyle())
	configs := make([]table.ColumnConfig, len(g.columns))
	groups, names := table.Row{}, table.Row{}
	for i, c := range g.columns {
		configs[i] = table.ColumnConfig{Number: i + 1}
		if !c.text {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
		groups, names = append(groups, c.group), append(names, c.name)
	}
	configs[0].WidthMax, configs[0].WidthMaxEnforcer = firstWidth, report.WrapLabel
	t.SetColumnConfigs(configs)
	if g.grouped() {
		t.AppendHeader(groups, table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignRight})
	}
	t.AppendHeader(names)
	for _, row := range g.rows {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			cells[i] = report.Printable(cell)
		}
		t.AppendRow(cells)
	}
	return report.TrimRight(t.Render())
}

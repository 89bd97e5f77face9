package recommend

import (
	"bytes"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/report"
)

// width is that of the table: what most terminals and reviews show without a break.
const width = 86

// widest are the columns that are broken: names, and the reason of an exclusion.
const (
	widestName    = 24
	widestReason  = 26
	narrowestName = 14
)

// WriteTable writes the answer for people: the recommendation, what it depends on, those that qualify, the others with
// the figure that excludes each, and why. It is plain ASCII unless a name is not.
func WriteTable(w io.Writer, d *Document) error {
	var out bytes.Buffer
	paragraph(&out, d.headline())
	for _, line := range d.circumstances() {
		paragraph(&out, line)
	}
	if g := d.qualified(); len(g.rows) > 0 {
		out.WriteString("\n" + g.render() + "\n")
	}
	if g := d.excluded(); len(g.rows) > 0 {
		out.WriteString("\n" + g.render() + "\n")
	}
	out.WriteByte('\n')
	for _, line := range d.remarks() {
		paragraph(&out, line)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// paragraph breaks a line between words; what is carried over is indented.
func paragraph(out *bytes.Buffer, line string) {
	wrapped := report.TrimRight(text.WrapSoft(report.Printable(line), width-2))
	out.WriteString(strings.ReplaceAll(wrapped, "\n", "\n  ") + "\n")
}

// wrapNames puts each of several names on a line of its own, and breaks those that are still too long.
func wrapNames(names string, width int) string {
	list := strings.Split(names, ", ")
	for i, name := range list {
		if i < len(list)-1 {
			name += ","
		}
		list[i] = report.WrapLabel(name, width)
	}
	return strings.Join(list, "\n")
}

// render draws g, and once more with narrower names where it came out too wide.
func (g *grid) render() string {
	rendered := g.draw(widestName)
	if excess := text.LongestLineLen(rendered) - width; excess > 0 {
		return g.draw(max(widestName-excess, narrowestName))
	}
	return rendered
}

func (g *grid) draw(nameWidth int) string {
	t := table.NewWriter()
	t.SetStyle(report.PlainStyle())
	configs := make([]table.ColumnConfig, len(g.columns))
	head := table.Row{}
	for i, c := range g.columns {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if c.words {
			configs[i] = table.ColumnConfig{Number: i + 1, WidthMax: nameWidth, WidthMaxEnforcer: wrapNames}
		}
		if c.words && i > 1 {
			configs[i].WidthMax, configs[i].WidthMaxEnforcer = widestReason, text.WrapSoft
		}
		head = append(head, strings.TrimSuffix(c.over+"\n"+c.under, "\n"))
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(head)
	for _, row := range g.rows {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			cells[i] = report.Printable(cell)
		}
		t.AppendRow(cells)
	}
	return report.TrimRight(t.Render())
}

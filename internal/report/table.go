package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/measure"
)

// TableOptions say how a terminal shows a table.
type TableOptions struct {
	Color bool // ANSI colours: an overshoot above 1 stands out, the reference steps back
	Width int  // columns to keep within where the labels allow it; 0 for as wide as it gets
}

// narrowest is the width below which the algorithm's column is never pressed.
const narrowest = 16

// WriteTable writes doc for people: for each run its question and circumstances, a line per algorithm, the
// exact reference below them, and what was expected and not met. It is plain ASCII unless a name is not, so
// that it survives pipes and logs.
func WriteTable(w io.Writer, doc *Document, opts TableOptions) error {
	var out bytes.Buffer
	for i := range doc.Runs {
		if i > 0 {
			out.WriteByte('\n')
		}
		opts.run(&out, &doc.Runs[i])
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (o TableOptions) run(out *bytes.Buffer, r *Run) {
	out.WriteString(o.paint(Printable(r.Scenario), text.Bold) + "\n")
	if r.Question != "" {
		out.WriteString(o.wrap(r.Question))
	}
	out.WriteString(o.paintLines(o.wrap(r.circumstances()), text.Faint))
	if r.Partial {
		out.WriteString(o.paint(partialWarning, text.Bold, text.FgRed) + "\n")
	}
	out.WriteString("\n" + o.rows(r) + "\n")
	for _, f := range r.findingTables() {
		out.WriteString("\n" + o.paint(f.title, text.Faint) + "\n" + o.renderFinding(f) + "\n")
	}
	for i, line := range r.remarks() {
		if i == 0 {
			out.WriteByte('\n')
		}
		if strings.HasPrefix(line, "MISSED") {
			out.WriteString(o.paintLines(o.wrap(line), text.Bold, text.FgRed))
			continue
		}
		out.WriteString(o.wrap(line))
	}
}

// rows renders the table.
func (o TableOptions) rows(r *Run) string {
	var labels []string
	for i := range r.Results {
		labels = append(labels, r.Results[i].Algorithm)
	}
	return o.fitted(labels, func(firstWidth int) string { return o.render(r, firstWidth) })
}

// fitted renders a table, and once more with a narrower first column where it came out too wide.
func (o TableOptions) fitted(labels []string, render func(firstWidth int) string) string {
	rendered := render(0)
	excess := text.LongestLineLen(rendered) - o.Width
	if o.Width == 0 || excess <= 0 {
		return rendered
	}
	longest := 0
	for _, label := range labels {
		longest = max(longest, text.StringWidthWithoutEscSequences(label))
	}
	return render(max(longest-excess, narrowest))
}

func (o TableOptions) render(r *Run, firstWidth int) string {
	columns := r.columns()
	t := table.NewWriter()
	t.SetStyle(PlainStyle())
	t.SetColumnConfigs(alignments(len(columns)+1, firstWidth))
	t.AppendHeader(header(r, columns))
	for i := range r.Results {
		row := &r.Results[i]
		cells := o.cells(row.Algorithm, columns, &row.Result)
		if r.differsFromVirtual() {
			cells = append(cells, optionalInteger(row.DiffersFromVirtual))
		}
		t.AppendRow(cells)
	}
	reference := o.cells(ReferenceLabel, columns, &r.Reference)
	for i := range reference {
		reference[i] = o.paint(fmt.Sprint(reference[i]), text.Faint)
	}
	t.AppendRow(reference)
	return TrimRight(t.Render())
}

func header(r *Run, columns []column) table.Row {
	row := table.Row{"algorithm"}
	for _, c := range columns {
		row = append(row, strings.TrimSuffix(c.over+"\n"+c.under, "\n"))
	}
	if r.differsFromVirtual() {
		row = append(row, "not as in\nvirtual")
	}
	return row
}

func (o TableOptions) cells(label string, columns []column, m *measure.Result) table.Row {
	row := table.Row{Printable(label)}
	for _, c := range columns {
		cell := c.text(m)
		if c.under == "limit" && m.Overshoot > 1 {
			cell = o.paint(cell, text.Bold, text.FgRed)
		}
		row = append(row, cell)
	}
	return row
}

// alignments puts names left and numbers right; one column more stands for differs-from-virtual.
func alignments(columns, firstWidth int) []table.ColumnConfig {
	list := []table.ColumnConfig{{Number: 1, WidthMax: firstWidth, WidthMaxEnforcer: WrapLabel}}
	for n := 2; n <= columns+1; n++ {
		list = append(list, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return list
}

// PlainStyle draws one rule under the heading and nothing else: fields stay apart for awk as for the eye.
func PlainStyle() table.Style {
	style := table.StyleDefault
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	return style
}

package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/message"
)

// Terminal is where a sheet is read.
type Terminal struct {
	Width int  // columns to keep within; 0 for as wide as it gets
	Text  int  // columns of a paragraph where Width is 0; 0 for as wide as it gets
	Quiet bool // leave out the notes
	Color bool // ANSI colours: what is alarming stands out, what is there to compare with steps back
}

// Or is t, and where it has no width the one that is usual for the sheet.
func (t Terminal) Or(width int) Terminal {
	t.Width = cmp.Or(t.Width, width)
	return t
}

// WriteTerminal writes s for people. It is plain ASCII unless a name is not, so that it survives pipes and logs, and
// nothing in it steers a terminal.
func (s Sheet) WriteTerminal(w io.Writer, t Terminal) error {
	parts := each(s, func(p Part) string { return t.part(&p) })
	_, err := io.WriteString(w, strings.Join(filled(parts), "\n"))
	return err
}

// filled are the texts that are not empty.
func filled(texts []string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

func (t Terminal) part(p *Part) string {
	head, notes := strings.Join(each(p.Lead, t.line), ""), ""
	if p.Title != "" {
		head = t.line(Line{Text: p.Title, Style: title}) + head
	}
	for _, l := range p.Notes {
		if !t.Quiet || !strings.HasPrefix(l.whole(), noted) {
			notes += t.line(l)
		}
	}
	blocks := []string{head}
	tooWide := func(i int) bool { return t.excess(t.render(p.Tables[i].narrowest())) > 0 }
	for i, g := range p.Tables {
		if len(g.Rows) == 0 || g.Narrow && !tooWide(i+1) || i > 0 && p.Tables[i-1].Narrow && tooWide(i) {
			continue
		}
		above := ""
		if g.Title != "" {
			above = t.line(Line{Text: g.Title, Style: Faint})
		}
		blocks = append(blocks, above+t.fitted(&g)+"\n")
	}
	if len(blocks) == 1 {
		return head + notes
	}
	return strings.Join(filled(append(blocks, notes)), "\n")
}

// noted is how a line begins that says how the figures came about, and none of them.
const noted = "note: "

// line is a paragraph; what is carried over is indented.
func (t Terminal) line(l Line) string {
	s := message.Visible(l.whole())
	if width := cmp.Or(t.Width, t.Text); l.Term != next && width > 0 &&
		text.StringWidthWithoutEscSequences(s) > width-len(indent) {
		s = TrimRight(text.WrapSoft(s, width-len(indent)))
	}
	pieces := each(strings.Split(s, "\n"), func(piece string) string { return t.paint(piece, l.Style) })
	return strings.Join(pieces, "\n"+indent) + "\n"
}

const indent = "  "

// whole is the line with its term.
func (l *Line) whole() string {
	if l.Term == "" {
		return l.Text
	}
	return l.Term + ": " + l.Text
}

// title is the style of a part's title.
const title = Alarm + 1

// colors are those of the styles that a terminal knows.
var colors = map[Style]text.Colors{Faint: {text.Faint}, Alarm: {text.Bold, text.FgRed}, title: {text.Bold}}

// paint colours s without go-pretty's global switch, which follows the environment and not the caller.
func (t Terminal) paint(s string, style Style) string {
	if !t.Color || s == "" || colors[style] == nil {
		return s
	}
	return text.Escape(s, colors[style].EscapeSeq())
}

// TrimRight takes the blanks off the end of every line.
func TrimRight(s string) string {
	trimmed := func(line string) string { return strings.TrimRight(line, " ") }
	return strings.Join(each(strings.Split(s, "\n"), trimmed), "\n")
}

// fitted renders a table. Where it is too wide labels are broken, and where that is not enough columns leave.
func (t Terminal) fitted(g *Table) string {
	var gone []string
	for t.excess(t.render(g.narrowest())) > 0 {
		i := g.leaver()
		if i < 0 {
			break
		}
		gone = append(gone, g.Columns[i].heading())
		g = g.without(i)
	}
	rendered := t.render(g)
	for i, c := range g.Columns {
		if excess := t.excess(rendered); excess > 0 && c.Narrowest > 0 {
			g = g.narrower(i, max(g.widest(i)-excess, c.Narrowest))
			rendered = t.render(g)
		}
	}
	if gone == nil {
		return rendered
	}
	note := t.line(Line{Text: "columns left out: " + strings.Join(gone, ", "), Style: Faint})
	return rendered + "\n" + strings.TrimSuffix(note, "\n")
}

// excess is by how much a table is too wide.
func (t Terminal) excess(rendered string) int {
	if t.Width == 0 {
		return 0
	}
	return max(0, text.LongestLineLen(rendered)-t.Width)
}

// narrowest is g with every label broken as far as may be.
func (g *Table) narrowest() *Table {
	for i, c := range g.Columns {
		if c.Narrowest > 0 {
			g = g.narrower(i, c.Narrowest)
		}
	}
	return g
}

// leaver is the column that leaves first; -1 where none leaves.
func (g *Table) leaver() int {
	first := -1
	for i, c := range g.Columns {
		if c.Leaves > 0 && (first < 0 || c.Leaves >= g.Columns[first].Leaves) {
			first = i
		}
	}
	return first
}

// without is g without column i.
func (g *Table) without(i int) *Table {
	copied := *g
	copied.Columns = slices.Delete(slices.Clone(g.Columns), i, i+1)
	copied.Rows = slices.Clone(g.Rows)
	for n := range copied.Rows {
		copied.Rows[n].Cells = slices.Delete(slices.Clone(copied.Rows[n].Cells), i, i+1)
	}
	return &copied
}

// narrower is g with a bound on the width of column i.
func (g *Table) narrower(i, width int) *Table {
	copied := *g
	copied.Columns = slices.Clone(g.Columns)
	copied.Columns[i].Widest = width
	return &copied
}

// widest is how wide column i is.
func (g *Table) widest(i int) int {
	width := text.LongestLineLen(g.Columns[i].Name)
	for _, r := range g.Rows {
		width = max(width, text.StringWidthWithoutEscSequences(r.Cells[i].Text))
	}
	if most := g.Columns[i].Widest; most > 0 {
		width = min(width, most)
	}
	return width
}

// render draws one rule under the heading and nothing else: fields stay apart for awk as for the eye.
func (t Terminal) render(g *Table) string {
	w, style := table.NewWriter(), table.StyleDefault
	style.Format.Header, style.Options = text.FormatDefault, table.Options{SeparateHeader: !g.Bare}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	if g.Tight {
		style.Box.PaddingRight = " "
	}
	w.SetStyle(style)
	var configs []table.ColumnConfig
	var groups, names table.Row
	grouped := false
	for i, c := range g.Columns {
		config := table.ColumnConfig{Number: i + 1, WidthMax: c.Widest, WidthMaxEnforcer: c.Break}
		if c.Break == nil {
			config.WidthMaxEnforcer = BreakLabel
		}
		if !c.Words {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
		groups, names = append(groups, c.Group), append(names, strings.Join(visibleLines(c.Name), "\n"))
		grouped = grouped || c.Group != ""
	}
	for i, width := range g.groupWidths() {
		configs[i].WidthMin = width
	}
	w.SetColumnConfigs(configs)
	if grouped {
		w.AppendHeader(groups, table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignRight})
	}
	w.AppendHeader(names)
	for _, r := range g.Rows {
		var cells table.Row
		for _, c := range r.Cells {
			style := c.Style
			if r.Faint {
				style = Faint
			}
			cells = append(cells, t.paint(message.Visible(c.Text), style))
		}
		w.AppendRow(cells)
	}
	return TrimRight(w.Render())
}

// groupWidths are how wide the last columns of groups must be for the group's name to have room over its columns, by
// the column. go-pretty 6.8 would share the room out itself, and may divide by zero over it.
func (g *Table) groupWidths() map[int]int {
	widths := map[int]int{}
	for first := 0; first < len(g.Columns); {
		last, room := first, g.widest(first)
		for last+1 < len(g.Columns) && g.Columns[last+1].Group == g.Columns[first].Group {
			last++
			room += 1 + g.widest(last)
		}
		if missing := text.StringWidthWithoutEscSequences(g.Columns[first].Group) - room; missing > 0 && last > first {
			widths[last] = g.widest(last) + missing
		}
		first = last + 1
	}
	return widths
}

// visibleLines are the lines of a text whose line ends are meant.
func visibleLines(text string) []string { return each(strings.Split(text, "\n"), message.Visible) }

// BreakLabel breaks a label after a hyphen or a colon, and within a word only where it must.
func BreakLabel(label string, width int) string {
	if text.StringWidthWithoutEscSequences(label) <= width {
		return label
	}
	marked := strings.NewReplacer("-", "-\x00", ":", ":\x00", " ", " \x00").Replace(label)
	var lines []string
	for _, part := range strings.Split(marked, "\x00") {
		last := len(lines) - 1
		if last >= 0 && text.StringWidthWithoutEscSequences(lines[last]+part) <= width {
			lines[last] += part
			continue
		}
		lines = append(lines, strings.Split(text.WrapHard(part, width), "\n")...)
	}
	return strings.Join(lines, "\n")
}

// BreakList puts each of several labels on a line of its own, and breaks those that are still too long.
func BreakList(labels string, width int) string {
	list := strings.Split(labels, ", ")
	for i, label := range list {
		if i < len(list)-1 {
			label += ","
		}
		list[i] = BreakLabel(label, width)
	}
	return strings.Join(list, "\n")
}

// BreakWords breaks a sentence between its words.
func BreakWords(sentence string, width int) string { return text.WrapSoft(sentence, width) }

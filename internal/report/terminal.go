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

// Terminal has the properties of the terminal, or of another output, on which a sheet is shown.
type Terminal struct {
	Width int  // the number of columns; 0: unlimited
	Text  int  // the width of paragraphs if Width is 0; 0: unlimited
	Quiet bool // leave out the notes
	Color bool // use ANSI colours: red for alarms, faint for rows that are there for comparison
}

// Or returns t with the given width if t has none.
func (t Terminal) Or(width int) Terminal {
	t.Width = cmp.Or(t.Width, width)
	return t
}

// WriteTerminal writes s for people. The output is plain ASCII, except for names, so that it survives pipes and logs.
// Nothing in it controls a terminal.
func (s Sheet) WriteTerminal(w io.Writer, t Terminal) error {
	parts := each(s, func(p Part) string { return t.part(&p) })
	_, err := io.WriteString(w, strings.Join(filled(parts), "\n"))
	return err
}

// filled returns the texts that are not empty.
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

// noted begins lines about how the figures were computed.
const noted = "note: "

// line returns a paragraph. Its continuation lines are indented.
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

// whole returns the line with its term.
func (l *Line) whole() string {
	if l.Term == "" {
		return l.Text
	}
	return l.Term + ": " + l.Text
}

// title is the style of a part's title.
const title = Alarm + 1

// colors are the colours of the styles on a terminal.
var colors = map[Style]text.Colors{Faint: {text.Faint}, Alarm: {text.Bold, text.FgRed}, title: {text.Bold}}

// paint colours s. It does not use go-pretty's global switch, which depends on the environment and not on the caller.
func (t Terminal) paint(s string, style Style) string {
	if !t.Color || s == "" || colors[style] == nil {
		return s
	}
	return text.Escape(s, colors[style].EscapeSeq())
}

// TrimRight removes the blanks at the end of each line.
func TrimRight(s string) string {
	trimmed := func(line string) string { return strings.TrimRight(line, " ") }
	return strings.Join(each(strings.Split(s, "\n"), trimmed), "\n")
}

// fitted renders a table. If the table is too wide, labels are broken, and if that is not enough, columns are left out.
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

// excess returns by how many columns a table is too wide.
func (t Terminal) excess(rendered string) int {
	if t.Width == 0 {
		return 0
	}
	return max(0, text.LongestLineLen(rendered)-t.Width)
}

// narrowest returns g with each label broken as far as allowed.
func (g *Table) narrowest() *Table {
	for i, c := range g.Columns {
		if c.Narrowest > 0 {
			g = g.narrower(i, c.Narrowest)
		}
	}
	return g
}

// leaver returns the column to leave out first, or -1 if none may be left out.
func (g *Table) leaver() int {
	first := -1
	for i, c := range g.Columns {
		if c.Leaves > 0 && (first < 0 || c.Leaves >= g.Columns[first].Leaves) {
			first = i
		}
	}
	return first
}

// without returns g without column i.
func (g *Table) without(i int) *Table {
	copied := *g
	copied.Columns = slices.Delete(slices.Clone(g.Columns), i, i+1)
	copied.Rows = slices.Clone(g.Rows)
	for n := range copied.Rows {
		copied.Rows[n].Cells = slices.Delete(slices.Clone(copied.Rows[n].Cells), i, i+1)
	}
	return &copied
}

// narrower returns g with a limit on the width of column i.
func (g *Table) narrower(i, width int) *Table {
	copied := *g
	copied.Columns = slices.Clone(g.Columns)
	copied.Columns[i].Widest = width
	return &copied
}

// widest returns the width of column i.
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

// render draws one rule under the heading and no other lines, so that awk can separate the fields.
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

// groupWidths returns, for the last columns of groups, the widths with which a group's name fits over its columns.
// go-pretty 6.8 would distribute the width itself, but may divide by zero.
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

// visibleLines returns the lines of a text, split at its line ends, each safe to show.
func visibleLines(text string) []string { return each(strings.Split(text, "\n"), message.Visible) }

// BreakLabel breaks a label after a hyphen or a colon, and within a word only if necessary.
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

// BreakWords breaks a sentence between words.
func BreakWords(sentence string, width int) string { return text.WrapSoft(sentence, width) }

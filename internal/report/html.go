package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// sheetHTML is the template of a sheet within a page. The page's style sheet defines its classes.
//
//go:embed sheet.html
var sheetHTML string

var sheetTemplate = template.Must(template.New("sheet").Funcs(template.FuncMap{
	"blocks": blocks, "soft": Soft, "table": func(g Table) tableHTML { return g.html() },
	"heading": func(p Part) template.HTML {
		return template.HTML(fmt.Sprintf("<h%d><bdi>%s</bdi></h%[1]d>\n", cmp.Or(p.Level, 3),
			template.HTMLEscapeString(message.Visible(p.Title))))
	},
}).Parse(sheetHTML))

// HTML returns the sheet for a page: headings, paragraphs, lists and tables. Markup in texts is escaped.
func (s Sheet) HTML() template.HTML {
	var out bytes.Buffer
	if err := sheetTemplate.Execute(&out, s); err != nil {
		panic(err) // writing to a bytes.Buffer never fails
	}
	return template.HTML(out.String())
}

// blockHTML has consecutive lines that form one element: facts, a list, or a single paragraph.
type blockHTML struct {
	Element string
	Style   Style
	Lines   []Line
}

func (b blockHTML) Class() string { return styleClass[b.Style] }

// styleClass maps the styles to classes.
var styleClass = map[Style]string{Faint: "faint", Strong: "strong", Alarm: "alarm"}

func blocks(lines []Line) (list []blockHTML) {
	for _, l := range lines {
		l.Term, l.Text = message.Visible(l.Term), together(message.Visible(l.Text))
		element := "p"
		switch {
		case l.Item:
			element = "ul"
		case l.Term != "":
			element = "dl"
		}
		if n := len(list); element != "p" && n > 0 && list[n-1].Element == element && list[n-1].Style == l.Style {
			list[n-1].Lines = append(list[n-1].Lines, l)
			continue
		}
		list = append(list, blockHTML{element, l.Style, []Line{l}})
	}
	return list
}

// tableHTML is a table with its texts made safe to show, and its rows.
type tableHTML struct {
	Table
	Body, Foot [][]cellHTML
}

// html returns the table for a page. Rows that are there for comparison form its foot.
func (g *Table) html() tableHTML {
	g = g.withoutEmpty()
	view := tableHTML{Table: *g}
	view.Caption, view.Columns = together(message.Visible(g.Title+g.Caption)), nil
	for _, c := range g.Columns {
		name := together(message.Visible(c.heading()))
		view.Columns = append(view.Columns, Column{Name: name, Help: message.Visible(c.Help), Words: c.Words})
	}
	for _, r := range g.Rows {
		line := g.cells(&r)
		switch {
		case r.Alike:
			above := view.Body[len(view.Body)-1]
			for i, c := range r.Cells {
				if c.Text != "" {
					// an empty first line, so that the small text is below it
					above[i].Text = cmp.Or(above[i].Text, "\u00a0")
					above[i].Small = append(above[i].Small, line[i].Text)
				}
			}
		case r.Faint:
			view.Foot = append(view.Foot, line)
		default:
			view.Body = append(view.Body, line)
		}
	}
	return view
}

// withoutEmpty returns g without the columns in which no row has a value, such as memory, which only real servers
// report.
func (g *Table) withoutEmpty() *Table {
	for i := len(g.Columns) - 1; i >= 0; i-- {
		known := func(r TableRow) bool { return r.Cells[i].Text != "" && r.Cells[i].Text != Absent }
		if !g.Matrix && !slices.ContainsFunc(g.Rows, known) {
			g = g.without(i)
		}
	}
	return g
}

type cellHTML struct {
	Cell
	Small []string
	Words bool
}

func (c cellHTML) Class() string {
	switch {
	case c.Shade > 0:
		return fmt.Sprintf("shade%d", c.Shade)
	case c.Shade < 0:
		return fmt.Sprintf("lack%d", -c.Shade)
	case c.Style == Strong || c.Style == Alarm:
		return "over"
	case c.Style == Faint:
		return "faint"
	case c.Words:
		return "words"
	}
	return ""
}

func (g *Table) cells(r *TableRow) []cellHTML {
	var line []cellHTML
	for i, c := range r.Cells {
		words := g.Columns[i].Words && c.Text != ""
		lines := visibleLines(c.Text)
		c.Text, c.Help = lines[0], message.Visible(c.Help)
		if c.Text == Absent {
			c.Text = map[bool]string{true: "–"}[g.Matrix]
		}
		line = append(line, cellHTML{c, lines[1:], words})
	}
	return line
}

// Helps returns the columns with an explanation.
func (t tableHTML) Helps() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Help == "" })
}

// Soft returns a name such as gcra:burst=100+local-flag as HTML. If there is too little room for the name, it breaks
// before an addition, and not within a word. The name must be the result of Shown.
func Soft(name string) template.HTML {
	return template.HTML(softer.Replace(template.HTMLEscapeString(name)))
}

var softer = strings.NewReplacer(":", ":<wbr>", "+", "<wbr>+")

// measured matches a number and a unit with a blank between them.
var measured = regexp.MustCompile(`(\d) ((?:µs|ms|s|min|h|d|k|M)\b|[×%])`)

// together keeps a number and its unit on one line.
func together(s string) string { return measured.ReplaceAllString(s, "$1\u00a0$2") }

package sheet

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tableHTML is a table that scrolls within its own box. A page's script may sort the body by data-k, where a cell has
// one; the foot stays where it is. The page's style sheet says what swatch, words and over look like.
var tableHTML = template.Must(template.New("table").Parse(
	`{{define "line"}}<tr>{{range $i, $c := .}}{{if $i}}` +
		`<td{{if .Over}} class="over"{{else if .Words}} class="words"{{end}}{{if .Key}} data-k="{{.Key}}"{{end}}>` +
		`{{if .Words}}<bdi>{{.Text}}</bdi>{{else}}{{.Text}}{{end}}</td>` +
		`{{else}}<th scope="row">{{if .Mark}}<svg class="swatch {{.Mark}}" aria-hidden="true"><path d="M0 5h26"/></svg>{{end}}` +
		`<bdi>{{.Text}}</bdi></th>{{end}}{{end}}</tr>
{{end -}}
<div class="scroll" role="region" tabindex="0" aria-label="{{.Caption}}"><table class="figures sorts">
<caption>{{.Caption}}</caption>
<thead><tr>{{range .Head}}<th scope="col"{{if .Help}} title="{{.Help}}"{{end}}>{{.Name}}</th>{{end}}</tr></thead>
<tbody>
{{range .Body}}{{template "line" .}}{{end}}</tbody>
{{if .Foot}}<tfoot>
{{range .Foot}}{{template "line" .}}{{end}}</tfoot>
{{end}}</table></div>
`))

// cellHTML is a cell as the template writes it.
type cellHTML struct {
	Cell
	Words, Over bool
}

// HTML is the table in a page: what its rows are named after in the first column, rows to compare with at its foot.
func (g *Table) HTML() template.HTML {
	view := struct {
		Caption    string
		Head       []Column
		Body, Foot [][]cellHTML
	}{Caption: Shown(g.Caption)}
	for _, c := range g.Columns {
		view.Head = append(view.Head, Column{Name: Shown(c.heading()), Help: Shown(c.Help)})
	}
	for _, r := range g.Rows {
		if line := g.cellsHTML(&r); r.Faint {
			view.Foot = append(view.Foot, line)
		} else {
			view.Body = append(view.Body, line)
		}
	}
	var out bytes.Buffer
	if err := tableHTML.Execute(&out, view); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return template.HTML(out.String())
}

func (g *Table) cellsHTML(r *TableRow) []cellHTML {
	var line []cellHTML
	for i, c := range r.Cells {
		words := g.Columns[i].Words && c.Text != ""
		c.Text = Shown(c.Text)
		line = append(line, cellHTML{c, words, c.Style == Strong || c.Style == Alarm})
	}
	return line
}

// Shown is text from outside as a page shows it: what does not print, and what would turn the direction of the text
// around it, is there to be seen. That it is no markup is the template's care. What was shown once stays as it is.
//
// Note: message.Visible makes controls blanks, which suits terminals and tables of text. A page has the pictures of
// control characters in its fonts, and no width to keep.
func Shown(s string) string {
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&out, "⟨%02X⟩", s[i])
		case r < ' ':
			out.WriteRune('␀' + r)
		case r == 0x7f:
			out.WriteRune('␡')
		case unicode.IsControl(r), hidden(r):
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// hidden reports whether r prints nothing of its own but changes how its neighbours are read: the directional
// controls of Unicode's annex 9, separators of lines, and characters without width that make two names look alike.
func hidden(r rune) bool {
	return unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		r == 0x200b || r == 0x2060 || r == 0xfeff || r == 0xad
}

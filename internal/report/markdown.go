package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"ratelab/internal/message"
)

// WriteMarkdown writes s as headings, paragraphs, lists and GitHub tables, separated by empty lines. Texts appear as
// they are: markup in them is escaped.
func (s Sheet) WriteMarkdown(w io.Writer) error {
	var m markdown
	for _, p := range s {
		m.part(&p)
	}
	_, err := io.WriteString(w, strings.Join(m.blocks, "\n\n")+"\n")
	return err
}

// markdown collects a page's blocks. Consecutive items form one block.
type markdown struct {
	blocks []string
	listed bool // the last block is a list that may continue
}

func (m *markdown) add(block string) { m.blocks, m.listed = append(m.blocks, block), false }

func (m *markdown) part(p *Part) {
	m.listed = false
	if p.Title != "" {
		m.add(strings.Repeat("#", cmp.Or(p.Level, 3)) + " " + EscapeMarkdown(p.Title))
	}
	m.lines(p.Lead)
	for _, g := range p.Tables {
		if len(g.Rows) > 0 && !g.Narrow {
			m.table(&g)
		}
	}
	m.lines(p.Notes)
}

func (m *markdown) lines(lines []Line) {
	for _, l := range lines {
		s := EscapeMarkdown(l.Text)
		switch {
		case l.Item && m.listed:
			m.blocks[len(m.blocks)-1] += "\n- " + s
			continue
		case l.Item:
			m.add("- " + s)
			m.listed = true
			continue
		case l.Term != "":
			s = "**" + EscapeMarkdown(l.Term) + "**: " + s
		case l.Style == Strong || l.Style == Alarm:
			s = "**" + s + "**"
		}
		m.add(s)
	}
}

func (m *markdown) table(g *Table) {
	if title := g.Title + g.Caption; title != "" {
		m.add(EscapeMarkdown(strings.ToUpper(title[:1])+title[1:]) + ":")
	}
	var heads, rules []string
	for _, c := range g.Columns {
		heads = append(heads, EscapeMarkdown(c.heading()))
		rules = append(rules, map[bool]string{true: ":---", false: "---:"}[c.Words])
	}
	lines := []string{"| " + strings.Join(heads, " | ") + " |", "|" + strings.Join(rules, "|") + "|"}
	for _, r := range g.Rows {
		var cells []string
		for i, c := range r.Cells {
			s := EscapeMarkdown(c.Text)
			switch {
			case c.Link != "":
				s = fmt.Sprintf("[%s](%s)", s, c.Link)
			case r.Faint && i == 0:
				s = "*" + s + "*"
			case c.Style == Strong || c.Style == Alarm:
				s = "**" + s + "**"
			}
			cells = append(cells, s)
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
	}
	m.add(strings.Join(lines, "\n"))
}

// markdownEscapes puts a backslash before characters that are markup in CommonMark or in a GitHub table, and writes
// HTML's own characters as entities. Source: CommonMark 0.31, "Backslash escapes".
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `!`, `\!`,
	`$`, `\$`, `&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`,
)

// EscapeMarkdown returns s on one line, so that Markdown shows it as it is. Nothing in it acts as markup, a control
// character, a link or a mention, at any place in a line.
func EscapeMarkdown(s string) string {
	s = markdownEscapes.Replace(strings.Trim(message.Visible(s), " "))
	s = linkOrMention.ReplaceAllString(s, "$1"+apart+"$2")
	s = bullet.ReplaceAllString(s, `\$0`)
	return number.ReplaceAllString(s, `$1\$2`)
}

var (
	// linkOrMention matches texts that GitHub turns into links on its own: addresses, and mentions, which notify a
	// person. Source: GitHub Flavored Markdown 0.29, "Autolinks (extension)".
	linkOrMention = regexp.MustCompile(`(@|\b(?:https?|ftp|mailto|xmpp):|\bwww\.)(\S)`)
	// bullet and number match the beginning of a list or a rule at the start of a line. A dash alone is not matched:
	// tables use it for an absent figure.
	bullet = regexp.MustCompile(`^[-+=][-+= ]`)
	number = regexp.MustCompile(`^([0-9]{1,9})([.)](?:$| ))`)
)

// apart is invisible. It separates its neighbours, so that they are not read together.
const apart = "<!-- -->"

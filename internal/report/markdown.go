package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"ratelab/internal/measure"
)

// WriteMarkdown writes a heading, the circumstances and a GitHub table for each run. Names and questions are
// escaped: they show as they were written and mark up nothing.
func WriteMarkdown(w io.Writer, doc *Document) error {
	var out bytes.Buffer
	for i := range doc.Runs {
		if i > 0 {
			out.WriteByte('\n')
		}
		markdownRun(&out, &doc.Runs[i])
	}
	_, err := w.Write(out.Bytes())
	return err
}

func markdownRun(out *bytes.Buffer, r *Run) {
	fmt.Fprintf(out, "### %s\n\n", EscapeMarkdown(r.Scenario))
	if r.Question != "" {
		fmt.Fprintf(out, "%s\n\n", EscapeMarkdown(r.Question))
	}
	fmt.Fprintf(out, "%s\n\n", EscapeMarkdown(r.circumstances()))
	if r.Partial {
		fmt.Fprintf(out, "**%s**\n\n", partialWarning)
	}
	markdownTable(out, r)
	for _, f := range r.findingTables() {
		out.WriteString(f.markdown())
	}
	for i, line := range r.remarks() {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "- %s\n", EscapeMarkdown(line))
	}
}

func markdownTable(out *bytes.Buffer, r *Run) {
	columns := r.columns()
	head, rule := "| algorithm |", "|:---|"
	for _, c := range columns {
		head += " " + c.heading() + " |"
		rule += "---:|"
	}
	if r.differsFromVirtual() {
		head += " not as in virtual |"
		rule += "---:|"
	}
	fmt.Fprintf(out, "%s\n%s\n", head, rule)
	for i := range r.Results {
		row := &r.Results[i]
		line := markdownRow(EscapeMarkdown(row.Algorithm), columns, &row.Result)
		if r.differsFromVirtual() {
			line += fmt.Sprintf(" %s |", optionalInteger(row.DiffersFromVirtual))
		}
		out.WriteString(line + "\n")
	}
	line := markdownRow("*"+ReferenceLabel+"*", columns, &r.Reference)
	if r.differsFromVirtual() {
		line += "  |"
	}
	out.WriteString(line + "\n")
}

func markdownRow(label string, columns []column, m *measure.Result) string {
	var line strings.Builder
	line.WriteString("| " + label + " |")
	for _, c := range columns {
		cell := c.text(m)
		if c.under == "limit" && m.Overshoot > 1 {
			cell = "**" + cell + "**"
		}
		line.WriteString(" " + cell + " |")
	}
	return line.String()
}

// markdownEscapes puts a backslash before what CommonMark or a GitHub table could take for markup, and writes
// HTML's own characters as entities. Source: CommonMark 0.31, "Backslash escapes".
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `|`, `\|`, `~`, `\~`, `!`, `\!`,
	`$`, `\$`, `&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`,
)

// EscapeMarkdown is s as Markdown shows it, on one line: nothing in it is markup, a control character, a link or a
// mention, wherever on a line it stands.
func EscapeMarkdown(s string) string {
	s = markdownEscapes.Replace(strings.Trim(Printable(s), " "))
	s = linkOrMention.ReplaceAllString(s, "$1"+apart+"$2")
	s = bullet.ReplaceAllString(s, `\$0`)
	return number.ReplaceAllString(s, `$1\$2`)
}

var (
	// linkOrMention is what GitHub makes a link without being asked: an address, or a person who is told of it.
	// Source: GitHub Flavored Markdown 0.29, "Autolinks (extension)".
	linkOrMention = regexp.MustCompile(`(@|\b(?:https?|ftp|mailto|xmpp):|\bwww\.)(\S)`)
	// bullet and number begin a list or a rule at the start of a line. A dash alone is none: it is how tables show
	// that there is no figure.
	bullet = regexp.MustCompile(`^[-+=][-+= ]`)
	number = regexp.MustCompile(`^([0-9]{1,9})([.)](?:$| ))`)
)

// apart shows as nothing, and keeps what stands beside it from being read together.
const apart = "<!-- -->"

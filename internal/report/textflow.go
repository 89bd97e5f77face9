package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/wording"
)

// How text meets a terminal: its colours, its width, and what must never reach it.

// paint colours s without go-pretty's global switch, which follows the environment and not the caller.
func (o TableOptions) paint(s string, colors ...text.Color) string {
	if !o.Color || s == "" {
		return s
	}
	return text.Escape(s, text.Colors(colors).EscapeSeq())
}

func (o TableOptions) paintLines(s string, colors ...text.Color) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range lines {
		lines[i] = o.paint(lines[i], colors...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// wrap breaks s between words at the width and ends it with a newline.
func (o TableOptions) wrap(s string) string {
	s = Printable(s)
	if o.Width > 0 {
		s = TrimRight(text.WrapSoft(s, o.Width))
	}
	return s + "\n"
}

// TrimRight takes the blanks off the end of every line.
func TrimRight(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Printable is s as wording.Visible shows it: a key or a name can neither steer the terminal nor pass for another.
func Printable(s string) string { return wording.Visible(s) }

// WrapLabel breaks a label after a hyphen or a colon, and within a word only where it must.
func WrapLabel(label string, width int) string {
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

package chart

import "strings"

// Wrap breaks s between words into lines no wider than width. A word that is wider by itself is broken where
// it must be.
func Wrap(s string, width float64, l Lettering) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if longer := strings.TrimSpace(line + " " + word); l.Width(longer) <= width {
			line = longer
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		pieces := breakWord(word, width, l)
		lines = append(lines, pieces[:len(pieces)-1]...)
		line = pieces[len(pieces)-1]
	}
	return append(lines, line)
}

func breakWord(word string, width float64, l Lettering) []string {
	pieces := []string{""}
	for _, r := range word {
		last := &pieces[len(pieces)-1]
		if *last != "" && l.Width(*last+string(r)) > width {
			pieces = append(pieces, string(r))
			continue
		}
		*last += string(r)
	}
	return pieces
}

// Shorten cuts s in its middle, where labels with parameters differ least, until it fits width.
func Shorten(s string, width float64, l Lettering) string {
	if l.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for keep := len(runes) - 1; keep > 1; keep-- {
		head := (keep + 1) / 2
		cut := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if l.Width(cut) <= width {
			return cut
		}
	}
	return "…"
}

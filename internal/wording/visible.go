package wording

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible is s as text and nothing else, on one line: control characters and line separators, with which a name could
// steer a terminal or break a table, are blanks; the marks that turn the direction of writing, with which it could pass
// for another name, are written as \u202e; bytes that are not UTF-8 are replacement characters.
//
// Source: N. Boucher and R. Anderson, "Trojan Source: Invisible Vulnerabilities", 2021.
func Visible(s string) string {
	if !strings.ContainsFunc(s, steers) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	var out strings.Builder
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&out, `\u%04x`, r)
		case steers(r):
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// steers reports whether r acts instead of being shown.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

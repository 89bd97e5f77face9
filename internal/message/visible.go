package message

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is s as text and nothing else, on one line: control characters and line separators, with which a name could
// steer a terminal or break a table, are blanks; the marks that turn the direction of writing or have no width, with
// which it could pass for another name, are written as \u202e; bytes that are not UTF-8 are replacement characters.
//
// Source: N. Boucher and R. Anderson, "Trojan Source: Invisible Vulnerabilities", 2021.
func Visible(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Bidi_Control, r), strings.ContainsRune(widthless, r):
			fmt.Fprintf(&out, `\u%04x`, r)
		case steers(r):
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// mostShown is how many characters a message has at the most, whoever wrote it.
const mostShown = 2000

// Shown is a text of somebody else's, such as a server's error, on a line of a message: what would steer a terminal or
// hide is escaped, as \x1b or \u202e, and what is longer than any message is cut. To show it once more changes nothing.
func Shown(s string) string {
	s, more := cutAt(s, mostShown)
	var out strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[i])
		case steers(r):
			quoted := strconv.QuoteRune(r)
			out.WriteString(quoted[1 : len(quoted)-1])
		default:
			out.WriteRune(r)
		}
	}
	return out.String() + more
}

// OneLine is Shown of a text whose line breaks and runs of blanks are blanks, cut like what is quoted elsewhere at most
// characters.
func OneLine(s string, most int) string {
	text, more := cutAt(strings.Join(strings.Fields(s), " "), most)
	return Shown(text + more)
}

// steers reports whether r acts instead of being shown.
func steers(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || strings.ContainsRune(widthless, r)
}

// widthless are marks with which a name looks like another.
const widthless = "\u00ad\u200b\u2060\ufeff"

package message

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s as plain text on one line. Control characters and line separators become blanks, because a name
// could use them to control a terminal or to break a table. Marks that change the direction of writing or have no width
// are escaped as \u202e, because with them a name could look like another one. Bytes that are not UTF-8 become
// replacement characters.
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

// mostShown is the most characters of a text from outside in a message.
const mostShown = 2000

// Shown returns a text from outside, such as a server's error, for a line of a message. Characters that would control a
// terminal or be invisible are escaped, such as \x1b or \u202e. A very long text is cut. Applying Shown again changes
// nothing.
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

// OneLine is Shown for a text on several lines: line breaks and runs of blanks become single blanks, and the text is
// cut after `most` characters.
func OneLine(s string, most int) string {
	text, more := cutAt(strings.Join(strings.Fields(s), " "), most)
	return Shown(text + more)
}

// steers reports whether r controls the terminal instead of being shown.
func steers(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || strings.ContainsRune(widthless, r)
}

// widthless are marks without a width, with which a name can look like another one.
const widthless = "\u00ad\u200b\u2060\ufeff"

package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

// shown is text from outside as the page shows it: what does not print, and what would turn the direction of the
// text around it, is there to be seen. That it is no markup is the template's care.
//
// Note: message.Visible makes controls blanks, which suits terminals and tables of text. A page has the pictures of
// control characters in its fonts, and no width to keep.
func shown(s string) string {
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

func allShown(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = shown(s)
	}
	return out
}

// timesInWords is sheet.Times in a sentence.
func timesInWords(overshoot float64) string {
	return strings.NewReplacer("<", "just under ", ">", "just over ").Replace(sheet.Times(overshoot))
}

// share is part of whole; none of nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// enumerate names up to four in full: "a, b and c"; of more than that the first two and how many others.
func enumerate(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "none"
	case n == 1:
		return names[0]
	case n <= 4:
		return joined(names[:n-1]) + " and " + names[n-1]
	default:
		return fmt.Sprintf("%s, %s and %d others", names[0], names[1], n-2)
	}
}

func joined(names []string) string { return strings.Join(names, ", ") }

// count writes a number and its noun: 1 request, 1,000 requests.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return chart.Exact(n) + " " + noun + "s"
}

// span writes a duration in µs: 1.5 s.
func span(us int64) string {
	if us == 0 {
		return "0"
	}
	return chart.Span(float64(us))
}

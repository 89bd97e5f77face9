// Package message has the common parts of messages: quoted input that can neither flood nor control a terminal, the
// legal name that was probably meant, and reports of long waits.
package message

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// quoteMost is how many characters of the input a message repeats.
const quoteMost = 60

// Quote returns s in quotes, shortened and with control characters escaped.
func Quote[T ~string | ~[]byte](s T) string {
	text, more := cutAt(s, quoteMost)
	return strconv.Quote(text) + more
}

// Bare is Quote without the quotes, for numbers and for names that follow a sign.
func Bare(s string) string {
	text, more := cutAt(s, quoteMost)
	text = strconv.Quote(text)
	return text[1:len(text)-1] + more
}

// cutAt returns the first characters of s, at most `most`, and … if there are more. s may be megabytes long.
func cutAt[T ~string | ~[]byte](s T, most int) (text, more string) {
	text = string(s[:min(len(s), (most+1)*utf8.UTFMax)])
	n := 0
	for i := range text {
		if n == most {
			return text[:i], "…"
		}
		n++
	}
	return text, ""
}

// Path returns a file's name for the beginning of a message. It is quoted only if it could control a terminal.
func Path(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return IsControl(r) || steers(r) }) {
		return Quote(name)
	}
	return name
}

// IsControl reports whether r does not print. It returns true for the replacement character, which stands for bytes
// that are not UTF-8.
func IsControl(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }

// List returns "a, b, c".
func List[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}

// OneOf ends a message about a word that is not in names: `did you mean "gcra"? want one of gcra, none`.
func OneOf[T ~string](word string, names []T) string {
	want := "want one of " + List(names)
	if near, ok := Nearest(word, names); ok {
		return "did you mean " + Quote(near) + "? " + want
	}
	return want
}

// DidYouMean ends a message about a word that is not in names, if they are too many to list: `; did you mean "gcra"?`.
// It suggests names that contain the word, or else the nearest name. It returns "" if there is no suggestion.
func DidYouMean[T ~string](word string, names []T) string {
	var near []string
	for _, n := range names {
		if len(word) >= 3 && strings.Contains(string(n), word) { // fewer letters match too many names
			near = append(near, Quote(n))
		}
	}
	if n, ok := Nearest(word, names); ok && near == nil {
		near = []string{Quote(n)}
	}
	switch n := len(near); n {
	case 0:
		return ""
	case 1:
		return "; did you mean " + near[0] + "?"
	case 2, 3:
		return "; did you mean " + List(near[:n-1]) + " or " + near[n-1] + "?"
	default:
		return fmt.Sprintf("; did you mean %s, or one of %d others?", List(near[:2]), n-2)
	}
}

// Nearest returns the name that is most similar to word, if at most about a third of the letters and one more differ.
// Among equals it is the first. word is probably a misspelling of it.
func Nearest[T ~string](word string, names []T) (near T, ok bool) {
	if word == "" || len(word) > 64 { // the time grows with the product of the lengths
		return "", false
	}
	best := len(word)/3 + 2
	for _, n := range names {
		if d := levenshtein.ComputeDistance(word, string(n)); d < best {
			best, near, ok = d, n, true
		}
	}
	return near, ok
}

// Count returns a number with its noun: 1 key, 2 keys.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Grouped formats n with commas between the thousands.
func Grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Grouped(n/1000), n%1000)
}

// Enumerate lists up to four names in full: "a, b and c". Of more names it lists the first two and the number of
// others.
func Enumerate(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "none"
	case n == 1:
		return names[0]
	case n <= 4:
		return List(names[:n-1]) + " and " + names[n-1]
	default:
		return fmt.Sprintf("%s, %s and %d others", names[0], names[1], n-2)
	}
}

// Verb returns the form that agrees with n.
func Verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

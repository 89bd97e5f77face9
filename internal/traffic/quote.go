package traffic

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteMax is how many bytes of a line a message repeats.
const quoteMax = 60

// quote shows s in a message: shortened, and with control characters escaped, so that a hostile line can neither
// flood nor steer a terminal.
func quote[T ~string | ~[]byte](s T) string {
	if len(s) <= quoteMax {
		return strconv.Quote(string(s))
	}
	end := quoteMax
	for end > quoteMax-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(string(s[:end])) + "…"
}

// list is "a, b, c".
func list[T ~string](values []T) string {
	s := make([]string, len(values))
	for i, v := range values {
		s[i] = string(v)
	}
	return strings.Join(s, ", ")
}

// isControl also counts the replacement character, which stands for bytes that are not UTF-8.
func isControl(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }

// grouped writes n with commas between the thousands.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

package strictyaml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Suggest is `did you mean "x"? ` for the name nearest to word, or nothing where none is near enough to be
// meant: a third of the letters may differ.
func Suggest(word string, names []string) string {
	if len(word) > 64 { // the distance costs the product of the lengths
		return ""
	}
	best, found := len(word)/3+1, ""
	for _, n := range names {
		if d := levenshtein.ComputeDistance(word, n); d < best || d == best && found == "" {
			best, found = d, n
		}
	}
	if found == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q? ", found)
}

// List joins names for a message: a, b, c.
func List(names []string) string { return strings.Join(names, ", ") }

// Quote shortens s and escapes what would disturb a terminal.
func Quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "…"
	}
	return strconv.Quote(s)
}

// bare is Quote without the quotes, for names that follow a * or &.
func bare(s string) string {
	q, cut := strings.CutSuffix(Quote(s), "…")
	q = q[1 : len(q)-1]
	if cut {
		q += "…"
	}
	return q
}

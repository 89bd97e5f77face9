package scenarios

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// suggest is `did you mean "x"? ` for the name nearest to word, or nothing where none is near enough to be
// meant: a third of the letters may differ.
func suggest(word string, names []string) string {
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

func list(names []string) string { return strings.Join(names, ", ") }

package algorithms

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// suggest names the nearest of the legal words where one is near, and lists all where none is or they are few.
func suggest(word string, legal []string) string {
	list := "want one of " + strings.Join(legal, ", ")
	best, distance := "", len(word)/2+1
	for _, candidate := range legal {
		if d := editDistance(word, candidate); d < distance {
			best, distance = candidate, d
		}
	}
	switch {
	case best == "":
		return list
	case len(legal) > 8:
		return fmt.Sprintf("did you mean %q?", best)
	}
	return fmt.Sprintf("did you mean %q? %s", best, list)
}

// editDistance counts insertions, deletions, substitutions and swaps of neighbours between a and b (optimal string
// alignment).
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

func sortedKeys(set map[string]string) []string {
	return slices.Sorted(maps.Keys(set))
}

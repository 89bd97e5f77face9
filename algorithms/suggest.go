package algorithms

import (
	"fmt"
	"maps"
	"slices"

	"ratelab/internal/message"
)

// suggest names the nearest of the legal words where one is near, and lists all where none is or they are few.
func suggest(word string, legal []string) string {
	if near, ok := message.Nearest(word, legal); ok && len(legal) > 8 {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return message.OneOf(word, legal)
}

func sortedKeys(set map[string]string) []string {
	return slices.Sorted(maps.Keys(set))
}

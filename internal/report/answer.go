package report

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Guaranteeing names, as the matrix does, the limiters that keep the limit on any traffic: by their rule, and in all
// these runs, whose requests may cost more than 1. simulate recommend picks one of them.
func Guaranteeing(d *result.Document) string {
	same, _ := comparable(d)
	var keep, waiting []string
	for _, c := range columnsOf(same) {
		name := strings.ReplaceAll(c.head, "\n", " ")
		exceeds := func(r result.Run) bool { row := c.of(&r); return row != nil && row.XLimit > 1 }
		if slices.ContainsFunc(same.Runs, exceeds) {
			continue
		}
		switch guaranteed(same, c) {
		case "1":
			keep = append(keep, name)
		case "1, waits":
			waiting = append(waiting, name)
		}
	}
	text := "No limiter keeps the limit on any traffic"
	if keep != nil {
		text = fmt.Sprintf("%s %s the limit on any traffic", message.Enumerate(keep),
			message.Verb(len(keep), "keeps", "keep"))
	}
	if waiting != nil {
		text += fmt.Sprintf("; %s by holding requests back", message.Enumerate(waiting))
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

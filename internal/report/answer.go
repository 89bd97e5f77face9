package report

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Answer names the limiters that are exact, and those that keep the contract in all comparable scenarios, with what
// they lose. It is empty if no scenario is comparable.
func Answer(d *result.Document) string {
	runs := slices.DeleteFunc(slices.Clone(d.Runs), func(r result.Run) bool { return d.LeftOut(&r) != "" })
	if len(runs) == 0 {
		return ""
	}
	scenarios := message.Count(len(runs), "scenario")
	if len(runs) < len(d.Runs) {
		scenarios += fmt.Sprintf(" (the same requests for all, the %s's contract, no fault)", d.UsualContract())
	}
	var right, keep []string
	for _, name := range d.Everywhere() {
		kept, price := keeps(runs, name)
		switch {
		case !kept:
		case price == 0:
			right = append(right, message.Visible(name))
		default:
			keep = append(keep, fmt.Sprintf("%s, admitting up to %s less", message.Visible(name), Percent(price)))
		}
	}
	also := strings.Join(keep, "; ")
	switch {
	case right == nil && keep == nil:
		return fmt.Sprintf("No algorithm keeps the contract in all of %s.", scenarios)
	case right == nil:
		return fmt.Sprintf("In %s nobody admits what an exact limiter would. Who keeps the contract: %s.",
			scenarios, also)
	case keep == nil:
		also = "nobody"
	}
	return fmt.Sprintf("In %s %s %s the contract, and %s all that an exact limiter would. Who else keeps it: %s.",
		scenarios, message.Enumerate(right), message.Verb(len(right), "keeps", "keep"),
		message.Verb(len(right), "admits", "admit"), also)
}

// keeps reports whether the row of that name lets nothing through that it should not, in all runs, and the largest
// share of what an exact limiter lets through that it loses in one.
func keeps(runs []result.Run, name string) (kept bool, price float64) {
	kept = name != result.FloorLabel
	for i := range runs {
		if row := runs[i].Find(name); row != nil {
			kept = kept && row.Excess == 0
			price = max(price, row.Lost)
		}
	}
	return kept, price
}

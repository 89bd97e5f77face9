package report

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// Answer says in words, of the scenarios that compare like with like, who is exact, who else keeps the contract in all,
// and at what price. It is empty where there is no such scenario.
func (d *Document) Answer() string {
	runs := d.comparable()
	if len(runs) == 0 {
		return ""
	}
	scenarios := message.Count(len(runs), "scenario")
	if len(runs) < len(d.Runs) {
		scenarios += fmt.Sprintf(" in which all algorithms meet the same requests under the %s's contract, and "+
			"neither a clock nor the server fails,", d.usualContract())
	}
	var right, keep []string
	for _, name := range d.Everywhere() {
		kept, price := keeps(runs, name)
		switch {
		case !kept:
		case price == 0:
			right = append(right, sheet.Shown(name))
		default:
			keep = append(keep, fmt.Sprintf("%s, which lets through up to %s less", sheet.Shown(name),
				sheet.Percent(price)))
		}
	}
	var sentences []string
	if right != nil {
		sentences = append(sentences, fmt.Sprintf("In %s %s %s the contract always, and %s through all that an exact "+
			"limiter would.", scenarios, message.Enumerate(right), message.Verb(len(right), "keeps", "keep"),
			message.Verb(len(right), "lets", "let")))
	}
	switch {
	case keep == nil && right == nil:
		return fmt.Sprintf("In %s no algorithm keeps the contract always.", scenarios)
	case keep == nil:
		sentences = append(sentences, "Nobody else always keeps it.")
	case right == nil:
		sentences = append(sentences, fmt.Sprintf("In %s the contract is always kept by %s.", scenarios,
			strings.Join(keep, "; ")))
	default:
		sentences = append(sentences, fmt.Sprintf("Who else keeps it always: %s.", strings.Join(keep, "; ")))
	}
	return strings.Join(sentences, " ")
}

// keeps reports whether the row of that name lets nothing through that it should not, in all runs, and the largest
// share of what an exact limiter lets through that it loses in one.
func keeps(runs []Run, name string) (kept bool, price float64) {
	kept = name != FloorLabel
	for i := range runs {
		if row := runs[i].Find(name); row != nil {
			kept = kept && row.ExcessCost == 0
			price = max(price, share(row.ShortfallCost, row.ExactCost))
		}
	}
	return kept, price
}

// comparable are the runs that compare the algorithms themselves: all rows saw the same requests and were held to the
// same contract, that of most runs; every clock was right, and the server was always there.
func (d *Document) comparable() []Run {
	contract := d.usualContract()
	other := func(row Row) bool { return row.ClockEffect != nil || row.Race != nil || row.Unavailable > 0 }
	return slices.DeleteFunc(slices.Clone(d.Runs), func(r Run) bool {
		return len(r.ClientGroups) > 0 || r.Limit.Contract != contract || slices.ContainsFunc(r.Results, other)
	})
}

// usualContract is that of most runs.
func (d *Document) usualContract() limit.Contract {
	byBucket := 0
	for i := range d.Runs {
		if d.Runs[i].Limit.Contract == limit.ByBucket {
			byBucket++
		}
	}
	if 2*byBucket > len(d.Runs) {
		return limit.ByBucket
	}
	return limit.ByWindow
}

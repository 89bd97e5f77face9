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
		scenarios += fmt.Sprintf(" (the same requests for all, the %s's contract, no fault)", d.usualContract())
	}
	var right, keep []string
	for _, name := range d.Everywhere() {
		kept, price := keeps(runs, name)
		switch {
		case !kept:
		case price == 0:
			right = append(right, sheet.Shown(name))
		default:
			keep = append(keep, fmt.Sprintf("%s, admitting up to %s less", sheet.Shown(name), sheet.Percent(price)))
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

// comparable are the runs that compare the algorithms themselves.
func (d *Document) comparable() []Run {
	return slices.DeleteFunc(slices.Clone(d.Runs), func(r Run) bool { return d.LeftOut(&r) != "" })
}

// LeftOut says why a run is none that compares the algorithms themselves, which the answer is about: there all rows saw
// the same requests and were held to the same contract, that of most runs; every clock was right, and the server was
// always there. It is empty for a run that is.
func (d *Document) LeftOut(r *Run) string {
	with := func(what func(*Row) bool) bool {
		return slices.ContainsFunc(r.Results, func(row Row) bool { return what(&row) })
	}
	switch {
	case r.Limit.Contract != d.usualContract():
		return "the contract is the " + r.Limit.Contract.String() + "'s"
	case with(func(row *Row) bool { return row.Unavailable > 0 }):
		return "the server fails"
	case with(func(row *Row) bool { return row.Race != nil }):
		return "commands interleave"
	case with(func(row *Row) bool { return row.ClockEffect != nil }):
		return "a clock is wrong"
	case len(r.ClientGroups) > 0:
		return "clients react, so that each algorithm meets requests of its own"
	}
	return ""
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

package page

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// jury is the rows of a run that a verdict speaks of: all but the floor, unless that is alone.
type jury struct {
	run     *result.Run
	rows    []*result.Row
	keep    []*result.Row // without an excess
	exceed  []*result.Row
	offered int64
}

func newJury(r *result.Run) jury {
	j := jury{run: r}
	for i := range r.Results {
		row := &r.Results[i]
		if row.Algorithm == result.FloorLabel && len(r.Results) > 1 {
			continue
		}
		j.rows = append(j.rows, row)
		j.offered += row.Offered
		if row.ExcessCost > 0 {
			j.exceed = append(j.exceed, row)
		} else {
			j.keep = append(j.keep, row)
		}
	}
	return j
}

// verdict answers in words, made from a run's figures: who keeps the contract, who breaks it most and how soon, and who
// lets less through than an exact limiter would.
func verdict(r *result.Run) string {
	j := newJury(r)
	if len(j.rows) == 0 {
		return "Nothing was decided."
	}
	if j.offered == 0 {
		return "No request arrived, so there was nothing to decide."
	}
	sentences := []string{j.limitSentence()}
	if len(r.ClientGroups) == 0 { // clients that react send each row requests of its own: one shortfall is not another
		sentences = append(sentences, j.shortSentence())
	}
	if r.Partial {
		sentences = append([]string{"Interrupted before its end; so far:"}, sentences...)
	}
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// limitSentence says who keeps the limit.
func (j jury) limitSentence() string {
	contract := j.contract()
	kept, broken := len(j.keep), len(j.exceed)
	switch {
	case kept+broken == 1:
		return j.alone(contract)
	case broken == 0:
		return fmt.Sprintf("%s keep %s.", every(kept), contract)
	case kept == 0:
		return fmt.Sprintf("%s keeps %s; %s.", noneOf(broken), contract, j.worst())
	case broken == 1:
		return fmt.Sprintf("All but %s keep %s; %[1]s lets through %[3]s.", name(j.exceed[0]), contract,
			j.excess(j.exceed[0], false))
	case kept == 1 && exact(j.keep[0]):
		return fmt.Sprintf("Only %s keeps %s, and it lets through all that an exact limiter would. Of the other "+
			"%d, %s.",
			name(j.keep[0]), contract, broken, j.worst())
	case kept <= 4:
		return fmt.Sprintf("Only %s %s %s; of the other %d, %s.", message.Enumerate(names(j.keep)),
			message.Verb(kept, "keeps", "keep"), contract, broken, j.worst())
	}
	return fmt.Sprintf("%d of %d keep %s; of the other %d, %s.", kept, kept+broken, contract, broken, j.worst())
}

// alone is the sentence about the only row.
func (j jury) alone(contract string) string {
	row := j.rows[0]
	if len(j.keep) == 1 {
		return fmt.Sprintf("%s keeps %s: the most in any %s is %s.", name(row), contract, j.window(),
			message.Grouped(row.PeakWindowAdmitted))
	}
	return fmt.Sprintf("%s exceeds %s: %s.", name(row), contract, j.excess(row, false))
}

// every is "Both" or "All 11".
func every(n int) string {
	if n == 2 {
		return "Both"
	}
	return fmt.Sprintf("All %d", n)
}

// noneOf is "Neither" or "None of the 11".
func noneOf(n int) string {
	if n == 2 {
		return "Neither"
	}
	return fmt.Sprintf("None of the %d", n)
}

// worst names those with the highest peak, and says how high it is.
func (j jury) worst() string {
	top := most(j.exceed, func(row *result.Row) int64 {
		if j.run.Limit.Contract == limit.ByBucket {
			return row.ExcessCost
		}
		return row.PeakWindowAdmitted
	})
	return fmt.Sprintf("%s %s: %s", message.Enumerate(names(top)),
		message.Verb(len(top), "exceeds it most", "exceed it most"), j.excess(top[0], len(top) > 1))
}

// excess is how much a row lets through in a window, and in how short an interval that is already above the limit.
func (j jury) excess(row *result.Row, each bool) string {
	text := fmt.Sprintf("up to %s, %s times as many", message.Grouped(row.PeakWindowAdmitted),
		timesInWords(row.Overshoot))
	if j.run.Limit.Contract == limit.ByBucket {
		text = fmt.Sprintf("%s beyond it, %s of what it admits", j.amount(row.Excess, row.ExcessCost),
			report.Percent(report.Share(row.ExcessCost, row.AdmittedCost)))
	}
	if each {
		text = "each " + text
	}
	if j.run.Limit.Contract == limit.ByBucket {
		return text
	}
	if within := j.soonest(row); within > 0 {
		text += fmt.Sprintf(", and more than %s within %s already", message.Grouped(j.run.Limit.Requests), span(within))
	}
	return text
}

// soonest is the shortest interval in which more than a window's limit was admitted, where it is shorter than the
// window; 0 where that was not measured.
func (j jury) soonest(row *result.Row) int64 {
	if j.run.TimeScales == nil || len(row.MostAdmitted) != len(j.run.TimeScales.IntervalUS) {
		return 0
	}
	for i, interval := range j.run.TimeScales.IntervalUS {
		if interval < j.run.Limit.WindowUS && row.MostAdmitted[i] > j.run.Limit.Requests {
			return interval
		}
	}
	return 0
}

// contract is what is promised, in words.
func (j jury) contract() string {
	l := j.run.Limit
	if l.Contract == limit.ByBucket {
		return fmt.Sprintf("a bucket of %s that %s per %s refill", message.Grouped(l.Burst),
			message.Grouped(l.Requests), j.window())
	}
	return fmt.Sprintf("the limit of %s in any %s", message.Grouped(l.Requests), j.window())
}

// shortSentence says who lets through as much as an exact limiter would, and who falls furthest short of it.
func (j jury) shortSentence() string {
	var right []*result.Row
	for _, row := range j.rows {
		if exact(row) {
			right = append(right, row)
		}
	}
	said := len(j.keep) == 1 && len(j.exceed) > 1 && len(right) == 1 && right[0] == j.keep[0] // by limitSentence
	const all = "let through all that an exact limiter would"
	switch {
	case len(j.rows) == 1 && len(right) == 1:
		return "It lets through all that an exact limiter would."
	case len(right) == len(j.rows):
		return every(len(right)) + " " + all + "."
	case len(right) == 0 || said:
		return capital(j.shortfall()) + "."
	case len(right) > 4:
		return fmt.Sprintf("%d of those that keep it %s; %s.", len(right), all, j.shortfall())
	}
	return fmt.Sprintf("%s %s through all that an exact limiter would; %s.", message.Enumerate(names(right)),
		message.Verb(len(right), "keeps it and lets", "keep it and let"), j.shortfall())
}

// exact reports whether a row has kept the contract and let through as much as an exact limiter.
func exact(row *result.Row) bool { return row.ExcessCost == 0 && row.ShortfallCost == 0 }

// shortfall says who falls furthest short of an exact limiter.
func (j jury) shortfall() string {
	top := most(j.rows, func(row *result.Row) int64 { return row.ShortfallCost })
	worst := top[0]
	figure := j.amount(worst.Shortfall, worst.ShortfallCost)
	part := report.Percent(report.Share(worst.ShortfallCost, worst.ExactCost)) + " of what that lets through"
	switch {
	case worst.ShortfallCost == 0 && len(j.rows) == 1:
		return "it lets through no less than an exact limiter"
	case worst.ShortfallCost == 0 && len(j.rows) == 2:
		return "neither lets through less than an exact limiter"
	case worst.ShortfallCost == 0:
		return "none lets through less than an exact limiter"
	case len(j.rows) == 1:
		return fmt.Sprintf("it falls short of an exact limiter by %s (%s)", figure, part)
	case len(top) > 1:
		return fmt.Sprintf("%s fall furthest short of an exact limiter, by %s each (%s)",
			message.Enumerate(names(top)), figure, part)
	}
	return fmt.Sprintf("%s falls furthest short of an exact limiter, by %s (%s)", name(top[0]), figure, part)
}

// amount is a number of requests, or of permits where the two are not the same.
func (j jury) amount(requests, cost int64) string {
	if j.run.HasCosts() {
		return count(cost, "permit")
	}
	return count(requests, "request")
}

// most are the rows with the largest value, in their order; rows is not empty.
func most(rows []*result.Row, value func(*result.Row) int64) []*result.Row {
	var top []*result.Row
	for _, row := range rows {
		if len(top) > 0 && value(row) > value(top[0]) {
			top = nil
		}
		if len(top) == 0 || value(row) == value(top[0]) {
			top = append(top, row)
		}
	}
	return top
}

func (j jury) window() string { return report.Each(j.run.Limit.WindowUS) }

func name(row *result.Row) string { return shown(row.Algorithm) }

func names(rows []*result.Row) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = name(row)
	}
	return list
}

// capital begins a sentence, unless with a name, which stays as it is.
func capital(s string) string {
	switch first, _, _ := strings.Cut(s, " "); first {
	case "it", "neither", "none":
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

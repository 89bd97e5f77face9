package page

import (
	"fmt"
	"math"
	"slices"

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
		if row.Excess > 0 {
			j.exceed = append(j.exceed, row)
		} else {
			j.keep = append(j.keep, row)
		}
	}
	return j
}

// verdict answers in words, made from a run's figures: who keeps the contract, who breaks it most and how soon, and who
// loses what an exact limiter would let through.
func verdict(r *result.Run) string {
	j := newJury(r)
	if len(j.rows) == 0 {
		return "Nothing was decided."
	}
	if j.offered == 0 {
		return "No request arrived, so there was nothing to decide."
	}
	text := j.limitSentence()
	if len(r.ClientGroups) == 0 { // clients that react send each row requests of its own: one loss is not another
		text += " " + j.lostSentence()
	}
	if r.Partial {
		text = "Interrupted before its end; so far: " + text
	}
	return text
}

// limitSentence says who keeps the limit, and who exceeds it most.
func (j jury) limitSentence() string {
	if len(j.rows) == 1 && j.exceed != nil {
		return fmt.Sprintf("%s exceeds %s: %s.", name(j.rows[0]), j.contract(), j.excess(j.rows[0]))
	}
	text := j.who(j.keep, "keeps", "keep") + " " + j.contract()
	if j.exceed != nil {
		top := most(j.exceed, func(row *result.Row) int64 {
			if j.run.Limit.Contract == limit.ByBucket {
				return row.Excess
			}
			return row.Peak
		})
		each := ""
		if len(top) > 1 {
			each = "each "
		}
		text += fmt.Sprintf("; %s %s it most: %s%s", message.Enumerate(names(top)),
			message.Verb(len(top), "exceeds", "exceed"), each, j.excess(top[0]))
	}
	return text + "."
}

// who is the subject of a sentence, and its verb: a and b keep, 5 of 12 keep, none of the 7 keeps, all 12 keep. A few
// are named, unless they are all.
func (j jury) who(rows []*result.Row, does, do string) string {
	switch n := len(j.rows); {
	case len(rows) == n && n == 2:
		return "Both " + do
	case len(rows) == n && n > 2:
		return fmt.Sprintf("All %d %s", n, do)
	case len(rows) == 0 && n == 2:
		return "Neither " + does
	case len(rows) == 0:
		return fmt.Sprintf("None of the %d %s", n, does)
	case len(rows) <= 4:
		return message.Enumerate(names(rows)) + " " + message.Verb(len(rows), does, do)
	}
	return fmt.Sprintf("%d of %d %s", len(rows), len(j.rows), do)
}

// excess is how much a row lets through in a window, and in how short an interval that is already above the limit.
func (j jury) excess(row *result.Row) string {
	if j.run.Limit.Contract == limit.ByBucket {
		return fmt.Sprintf("%s beyond it, %s of what it admits", j.amount(row.Excess),
			report.Percent(report.Share(row.Excess, row.AdmittedCost)))
	}
	text := fmt.Sprintf("up to %s, %s times as many", message.Grouped(row.Peak),
		timesInWords(row.XLimit))
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

// lostSentence says who lets through as much as an exact limiter would, and who loses most of it.
func (j jury) lostSentence() string {
	exact := slices.DeleteFunc(slices.Clone(j.keep), func(row *result.Row) bool { return row.Lost > 0 })
	text := ""
	if len(exact) > 0 {
		text = j.who(exact, "lets", "let") + " through all that an exact limiter would"
	}
	top := most(j.rows, func(row *result.Row) float64 { return row.Lost })
	worst := top[0]
	if worst.Lost == 0 {
		if text == "" {
			text = "Nothing is lost that an exact limiter lets through"
		}
		return text + "."
	}
	if text != "" {
		text += "; "
	}
	most := " most:"
	if len(j.rows) == 1 {
		most = ""
	}
	return text + fmt.Sprintf("%s %s%s %s, %s of what an exact limiter lets through.",
		message.Enumerate(names(top)), message.Verb(len(top), "loses", "lose"), most,
		j.amount(int64(math.Round(worst.Lost*float64(worst.ExactCost)))), report.Percent(worst.Lost))
}

// amount is a number of requests, or of permits where the two are not the same.
func (j jury) amount(cost int64) string {
	if j.run.HasCosts() {
		return count(cost, "permit")
	}
	return count(cost, "request")
}

// most are the rows with the largest value, in their order; rows is not empty.
func most[N int64 | float64](rows []*result.Row, value func(*result.Row) N) []*result.Row {
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

func name(row *result.Row) string { return message.Visible(row.Algorithm) }

func names(rows []*result.Row) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = name(row)
	}
	return list
}

package page

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// jury is the rows of a run that a verdict speaks of: all but the floor, unless that is alone.
type jury struct {
	run     *report.Run
	rows    []*report.Row
	keep    []*report.Row // never above the limit in a window
	exceed  []*report.Row
	offered int64
}

func newJury(r *report.Run) jury {
	j := jury{run: r}
	for i := range r.Results {
		row := &r.Results[i]
		if row.Algorithm == floor && len(r.Results) > 1 {
			continue
		}
		j.rows = append(j.rows, row)
		j.offered += row.Offered
		if row.Overshoot > 1 {
			j.exceed = append(j.exceed, row)
		} else {
			j.keep = append(j.keep, row)
		}
	}
	return j
}

// verdict answers in words, made from a run's figures: who keeps the limit, who exceeds it most and how soon, and
// who rejects what the exact limit admits.
func verdict(r *report.Run) string {
	j := newJury(r)
	if len(j.rows) == 0 {
		return "Nothing was decided."
	}
	if j.offered == 0 {
		return "No request arrived, so there was nothing to decide."
	}
	sentences := []string{j.limitSentence(), j.exactSentence()}
	if r.Partial {
		sentences = append([]string{"Interrupted before its end; so far:"}, sentences...)
	}
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// limitSentence says who keeps the limit.
func (j jury) limitSentence() string {
	limit := fmt.Sprintf("the limit of %s in any %s", chart.Exact(j.run.Limit.Requests), j.window())
	kept, broken := len(j.keep), len(j.exceed)
	switch {
	case kept+broken == 1:
		return j.alone(limit)
	case broken == 0:
		return fmt.Sprintf("%s keep %s.", all(kept), limit)
	case kept == 0:
		return fmt.Sprintf("%s keeps %s; %s.", noneOf(broken), limit, j.worst())
	case broken == 1:
		return fmt.Sprintf("All but %s keep %s; %[1]s lets through %[3]s.", name(j.exceed[0]), limit,
			j.excess(j.exceed[0], false))
	case kept == 1 && exact(j.keep[0]):
		return fmt.Sprintf("Only %s keeps %s, and it decides every request as the exact limit does. Of the other "+
			"%d, %s.",
			name(j.keep[0]), limit, broken, j.worst())
	case kept <= 4:
		return fmt.Sprintf("Only %s %s %s; of the other %d, %s.", enumerate(names(j.keep)), verb(kept, "keeps", "keep"),
			limit, broken, j.worst())
	}
	return fmt.Sprintf("%d of %d keep %s; of the other %d, %s.", kept, kept+broken, limit, broken, j.worst())
}

// alone is the sentence about the only row.
func (j jury) alone(limit string) string {
	row := j.rows[0]
	if len(j.keep) == 1 {
		return fmt.Sprintf("%s keeps %s: its highest window has %s.", name(row), limit,
			chart.Exact(row.PeakWindowAdmitted))
	}
	return fmt.Sprintf("%s exceeds %s: %s.", name(row), limit, j.excess(row, false))
}

// all is "Both" or "All 11".
func all(n int) string {
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
	top := most(j.exceed, func(row *report.Row) int64 { return row.PeakWindowAdmitted })
	return fmt.Sprintf("%s %s: %s", enumerate(names(top)), verb(len(top), "exceeds it most", "exceed it most"),
		j.excess(top[0], len(top) > 1))
}

// excess is how much a row lets through in a window, and in how short an interval that is already above the limit.
func (j jury) excess(row *report.Row, each bool) string {
	text := fmt.Sprintf("up to %s, %s times as many", chart.Exact(row.PeakWindowAdmitted), timesInWords(row.Overshoot))
	if each {
		text = "each " + text
	}
	if within := j.soonest(row); within > 0 {
		text += fmt.Sprintf(", and more than %s within %s already", chart.Exact(j.run.Limit.Requests), span(within))
	}
	return text
}

// soonest is the shortest interval in which more than a window's limit was admitted, where it is shorter than the
// window; 0 where that was not measured.
func (j jury) soonest(row *report.Row) int64 {
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

// exactSentence says who decides as the exact limit does, and who rejects most that it admits.
func (j jury) exactSentence() string {
	var right []*report.Row
	for _, row := range j.rows {
		if exact(row) {
			right = append(right, row)
		}
	}
	said := len(j.keep) == 1 && len(j.exceed) > 1 && len(right) == 1 && right[0] == j.keep[0] // by limitSentence
	switch {
	case len(j.rows) == 1 && len(right) == 1:
		return "It decides every request as the exact limit does."
	case len(right) == len(j.rows):
		return all(len(right)) + " decide every request as the exact limit does."
	case len(right) == 0 || said:
		return capital(j.falseRejects("the exact limit")) + "."
	case len(right) > 4:
		return fmt.Sprintf("%d decide every request as the exact limit does; %s.", len(right), j.falseRejects("it"))
	}
	only := ""
	if len(j.keep) > len(right) {
		only = "Only "
	}
	return fmt.Sprintf("%s%s %s every request as the exact limit does; %s.",
		only, enumerate(names(right)), verb(len(right), "decides", "decide"), j.falseRejects("it"))
}

// exact reports whether a row has decided everything as the reference has.
func exact(row *report.Row) bool { return row.FalseAdmits == 0 && row.FalseRejects == 0 }

// falseRejects says who rejects most that the exact limit, or it, admits.
func (j jury) falseRejects(who string) string {
	top := most(j.rows, func(row *report.Row) int64 { return row.FalseRejects })
	worst := top[0]
	figure := count(worst.FalseRejects, "request")
	part := sheet.Percent(share(worst.FalseRejects, worst.Offered)) + " of the offered"
	switch {
	case worst.FalseRejects == 0 && len(j.rows) == 1:
		return "it rejects nothing that " + who + " admits"
	case worst.FalseRejects == 0 && len(j.rows) == 2:
		return "neither rejects a request that " + who + " admits"
	case worst.FalseRejects == 0:
		return "none rejects a request that " + who + " admits"
	case len(j.rows) == 1:
		return fmt.Sprintf("it rejects %s that %s admits (%s)", figure, who, part)
	case len(top) > 1:
		return fmt.Sprintf("%s reject most of what %s admits: %s each (%s)", enumerate(names(top)), who, figure, part)
	}
	return fmt.Sprintf("%s rejects most of what %s admits: %s (%s)", name(top[0]), who, figure, part)
}

// most are the rows with the largest value, in their order; rows is not empty.
func most(rows []*report.Row, value func(*report.Row) int64) []*report.Row {
	var top []*report.Row
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

func (j jury) window() string { return chart.Each(float64(j.run.Limit.WindowUS)) }

func name(row *report.Row) string { return shown(row.Algorithm) }

func names(rows []*report.Row) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = name(row)
	}
	return list
}

func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// capital begins a sentence, unless with a name, which stays as it is.
func capital(s string) string {
	switch first, _, _ := strings.Cut(s, " "); first {
	case "it", "neither", "none":
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

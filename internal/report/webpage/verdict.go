package webpage

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/drawing"
	"ratelab/internal/report"
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
	limit := fmt.Sprintf("the limit of %s in any %s", drawing.Exact(j.run.Limit.Requests), j.window())
	switch {
	case len(j.rows) == 1 && len(j.keep) == 1:
		return fmt.Sprintf("%s keeps %s: its highest window has %s.", name(j.rows[0]), limit, drawing.Exact(j.rows[0].PeakWindowAdmitted))
	case len(j.rows) == 1:
		return fmt.Sprintf("%s exceeds %s: %s.", name(j.rows[0]), limit, j.excess(j.rows[0], false))
	case len(j.exceed) == 0:
		return fmt.Sprintf("%s keep %s.", all(len(j.rows)), limit)
	case len(j.keep) == 0:
		return fmt.Sprintf("None of the %d keeps %s; %s.", len(j.rows), limit, j.worst("exceeds it most", "exceed it most"))
	case len(j.exceed) == 1:
		return fmt.Sprintf("All but %s keep %s; it lets through %s.", name(j.exceed[0]), limit, j.excess(j.exceed[0], false))
	case len(j.keep) <= 4:
		return fmt.Sprintf("Only %s %s %s; of the other %d %s.", enumerate(names(j.keep)), verb(len(j.keep), "keeps", "keep"), limit,
			len(j.exceed), j.worst("exceeds it most", "exceed it most"))
	}
	return fmt.Sprintf("%d of %d keep %s; of the other %d %s.", len(j.keep), len(j.rows), limit, len(j.exceed), j.worst("exceeds it most", "exceed it most"))
}

// all is "Both" or "All 11".
func all(n int) string {
	if n == 2 {
		return "Both"
	}
	return fmt.Sprintf("All %d", n)
}

// worst names those with the highest peak, and says how high it is.
func (j jury) worst(one, several string) string {
	top := most(j.exceed, func(row *report.Row) int64 { return row.PeakWindowAdmitted })
	return fmt.Sprintf("%s %s: %s", enumerate(names(top)), verb(len(top), one, several), j.excess(top[0], len(top) > 1))
}

// excess is how much a row lets through in a window, and in how short an interval that is already above the limit.
func (j jury) excess(row *report.Row, each bool) string {
	text := fmt.Sprintf("up to %s, %s times as many", drawing.Exact(row.PeakWindowAdmitted), times(row.Overshoot))
	if each {
		text = "each " + text
	}
	if within := j.soonest(row); within > 0 {
		text += fmt.Sprintf(", and more than %s within %s already", drawing.Exact(j.run.Limit.Requests), span(within))
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
	var exact []*report.Row
	for _, row := range j.rows {
		if row.FalseAdmits == 0 && row.FalseRejects == 0 {
			exact = append(exact, row)
		}
	}
	rejects := j.falseRejects()
	switch {
	case len(j.rows) == 1 && len(exact) == 1:
		return "It decides every request as the exact limit does."
	case len(exact) == len(j.rows):
		return all(len(exact)) + " decide every request as the exact limit does."
	case len(exact) == 0:
		return capital(rejects) + "."
	case len(exact) > 4:
		return fmt.Sprintf("%d decide every request as the exact limit does; %s.", len(exact), rejects)
	}
	only := ""
	if len(j.keep) > len(exact) {
		only = "Only "
	}
	return fmt.Sprintf("%s%s %s every request as the exact limit does; %s.", only, enumerate(names(exact)), verb(len(exact), "decides", "decide"), rejects)
}

// falseRejects says who rejects most that the exact limit admits.
func (j jury) falseRejects() string {
	top := most(j.rows, func(row *report.Row) int64 { return row.FalseRejects })
	worst := top[0]
	switch {
	case worst.FalseRejects == 0 && len(j.rows) == 1:
		return "it rejects nothing that the exact limit admits"
	case worst.FalseRejects == 0:
		return "none rejects a request that it admits"
	case len(j.rows) == 1:
		return fmt.Sprintf("it rejects %s that the exact limit admits (%s)", count(worst.FalseRejects, "request"), percent(share(worst.FalseRejects, worst.Offered)))
	}
	return fmt.Sprintf("%s %s most of what the exact limit admits: %s (%s of the offered)", enumerate(names(top)), verb(len(top), "rejects", "reject"),
		count(worst.FalseRejects, "request"), percent(share(worst.FalseRejects, worst.Offered)))
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

func (j jury) window() string { return drawing.Each(float64(j.run.Limit.WindowUS)) }

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

// capital begins a sentence.
func capital(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "-:") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

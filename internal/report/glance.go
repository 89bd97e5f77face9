package report

import (
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/sheet"
)

// Tolerated is the share of an excess or a shortfall that is worth no word where much is said in little room.
const Tolerated = 0.01

// Glance is a row of r in one word, and how bad that is, from 0 to 4: how many times what the contract allows got
// through, 1.98; or how much of what an exact limiter lets through was lost, -36.0%; whichever is worse, by overSteps
// and lostSteps, and of equals what got through. It is ok where neither is worth a word.
func (r *Run) Glance(row *Row) (text string, level int) {
	lost, level := r.glance(row)
	switch {
	case level == 0:
		return "ok", 0
	case lost > 0:
		return "-" + sheet.Percent(lost), level
	}
	return sheet.Times(r.Ratio(row)), level
}

// Briefly is every row at a glance but the floor, those of one word together, in the order of the rows.
func (r *Run) Briefly() string {
	var words []string
	names := map[string][]string{}
	for i := range r.Results {
		row := &r.Results[i]
		if IsFloor(row.Algorithm) {
			continue
		}
		word, _ := r.Glance(row)
		if names[word] == nil {
			words = append(words, word)
		}
		names[word] = append(names[word], row.Algorithm)
	}
	for i, word := range words {
		words[i] += " " + strings.Join(names[word], ", ")
	}
	return strings.Join(words, "; ")
}

// glance is how bad a row is, and the share that it loses where that is what is bad about it.
func (r *Run) glance(row *Row) (lost float64, level int) {
	over, missing := 0, 0
	if row.ExcessCost > 0 {
		over = levelOf(r.Ratio(row), overSteps...)
	}
	short := share(row.ShortfallCost, row.ExactCost)
	if short > Tolerated {
		missing = levelOf(short, lostSteps...)
	}
	if missing > over {
		return short, missing
	}
	return 0, over
}

// The steps from which on an error is worse: of what got through as a multiple of what is allowed, and of the share
// that was lost.
var (
	overSteps = []float64{1.1, 1.5, 2}
	lostSteps = []float64{0.05, 0.15, 0.3}
)

// Ratio is the most that a row let through as a multiple of what the contract allows: in a window, or under a bucket's
// contract in the interval of all time scales in which that is most.
func (r *Run) Ratio(row *Row) float64 {
	if r.Limit.Contract == limit.ByWindow || r.TimeScales == nil || len(row.MostAdmitted) != len(r.TimeScales.Limit) {
		return row.Overshoot
	}
	most := 0.0
	for i, allowed := range r.TimeScales.Limit {
		most = max(most, float64(row.MostAdmitted[i])/float64(allowed))
	}
	return most
}

// levelOf is 1 below the first of the steps, and one more from each of them on.
func levelOf(v float64, steps ...float64) int {
	level := 1
	for _, s := range steps {
		if v >= s {
			level++
		}
	}
	return level
}

// share is a part of a whole; of nothing it is none.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

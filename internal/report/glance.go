package report

import (
	"fmt"
	"strings"

	"ratelab/internal/result"
)

// Tolerated is the share of an excess or a shortfall that is worth no word where much is said in little room.
const Tolerated = 0.01

// glimpse is a row in one figure, and how bad that is: how many times what the contract allows got through, 1.98; or
// how much of what an exact limiter lets through was lost, -36%; whichever is worse, by overSteps and lostSteps, and of
// equals what got through. It is ok where neither is worth a word.
type glimpse struct {
	level int     // how bad, from 0 to 4
	over  bool    // too much got through; else too much was lost
	much  float64 // how many times what is allowed, or which share
}

// look is ok for a row that is not there.
func look(r *result.Run, row *result.Row) glimpse {
	var over, short glimpse
	if row == nil {
		return over
	}
	if row.Excess > 0 {
		over = glimpse{levelOf(row.XLimit, overSteps...), true, row.XLimit}
	}
	if lost := row.Lost; lost > Tolerated {
		short = glimpse{levelOf(lost, lostSteps...), false, lost}
	}
	if short.level > over.level {
		return short
	}
	return over
}

// serious is the level from which on a cell stands out on a terminal: one and a half times the limit, or 15 % lost.
const serious = 3

func (g glimpse) cell() Cell {
	c := Cell{Text: "ok", Shade: g.level}
	switch {
	case g.over:
		c.Text = Times(g.much)
	case g.level > 0:
		c.Text, c.Shade = fmt.Sprintf("-%.0f%%", 100*g.much), -g.level
	}
	if g.level >= serious {
		c.Style = Alarm
	}
	return c
}

// worse orders by level; of equals what got through is worse, and then more of it.
func (g glimpse) worse(than glimpse) bool {
	if g.level != than.level {
		return g.level > than.level
	}
	if g.over != than.over {
		return g.over
	}
	return g.much > than.much
}

// AtAGlance is every row at a glance but the floor, those of one word together, in the order of the rows.
func AtAGlance(r *result.Run) string {
	var words []string
	names := map[string][]string{}
	for i := range r.Results {
		row := &r.Results[i]
		if result.IsFloor(row.Algorithm) {
			continue
		}
		word := look(r, row).cell().Text
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

// The steps from which on an error is worse: of what got through as a multiple of what is allowed, and of the share
// that was lost.
var (
	overSteps = []float64{1.1, 1.5, 2}
	lostSteps = []float64{0.05, 0.15, 0.3}
)

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

// Share is a part of a whole; of nothing it is none.
func Share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Tolerated is the largest lost share for which a cell of the matrix has "ok".
const Tolerated = 0.01

// glimpse is the figure of a row in one cell, and how bad it is. It is x_limit if the limit is exceeded, or the lost
// share. If both apply, it is the worse of the two by overSteps and lostSteps, and x_limit if they are equally bad. If
// neither applies, the cell is ok.
type glimpse struct {
	level int     // how bad, from 0 to 4
	over  bool    // the limit is exceeded; otherwise too much is lost
	much  float64 // x_limit or the lost share
}

func look(row *result.Row) glimpse {
	var over, short glimpse
	if row.Excess > 0 {
		over = glimpse{levelOf(row.XLimit, overSteps...), true, row.XLimit}
	}
	if row.Lost > Tolerated {
		short = glimpse{levelOf(row.Lost, lostSteps...), false, row.Lost}
	}
	if short.level > over.level {
		return short
	}
	return over
}

// serious is the lowest level that a terminal emphasizes. It begins at 1.5 times the limit, or at 15 % lost.
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

// worse orders by level, then puts an exceeded limit before a loss, then orders by the figure.
func (g glimpse) worse(than glimpse) bool {
	switch {
	case g.level != than.level:
		return g.level > than.level
	case g.over != than.over:
		return g.over
	}
	return g.much > than.much
}

// AtAGlance lists the cells of the matrix with the rows that have them, without the floor: ok gcra; 1.98 fixed-window.
func AtAGlance(r *result.Run) string {
	var words [][2]string
	for i := range r.Results {
		if row := &r.Results[i]; !algorithms.IsFloor(row.Algorithm) {
			words = append(words, [2]string{look(row).cell().Text, row.Algorithm})
		}
	}
	return Grouped("%s %s", words)
}

// Grouped joins the pairs whose first elements are equal, in the order of their first appearance. format has a verb for
// the first element and one for the list of second elements.
func Grouped(format string, pairs [][2]string) string {
	var shared []string
	names := map[string][]string{}
	for _, p := range pairs {
		if names[p[0]] == nil {
			shared = append(shared, p[0])
		}
		names[p[0]] = append(names[p[0]], p[1])
	}
	return strings.Join(each(shared, func(s string) string {
		return fmt.Sprintf(format, s, strings.Join(names[s], ", "))
	}), "; ")
}

// Guaranteeing names the limiters that keep the limit for any traffic, as the matrix does. It considers the runs of the
// window contract or, if there are none, those of the bucket contract, whose requests may cost more than 1. A limiter
// must keep the limit by its rule and in all these runs. simulate recommend picks one of them.
func Guaranteeing(d *result.Document) string {
	parts, _ := split(d)
	same := &parts[windows]
	if len(same.Runs) == 0 {
		same = &parts[buckets]
	}
	var keep, waiting []string
	for _, c := range columnsOf(same) {
		exceeds := func(r result.Run) bool {
			row := c.of(&r)
			return row != nil && (row.Guarantee == nil || max(*row.Guarantee, row.XLimit) > 1)
		}
		waits := func(r result.Run) bool { row := c.of(&r); return row != nil && row.Shaping != nil }
		switch {
		case slices.ContainsFunc(same.Runs, exceeds):
		case slices.ContainsFunc(same.Runs, waits):
			waiting = append(waiting, c.name())
		default:
			keep = append(keep, c.name())
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

// The values of x_limit and of the lost share at which a cell's level rises.
var (
	overSteps = []float64{1.1, 1.5, 2}
	lostSteps = []float64{0.05, 0.15, 0.3}
)

// levelOf returns 1, plus 1 for each step that v reaches.
func levelOf(v float64, steps ...float64) int {
	level := 1
	for _, s := range steps {
		if v >= s {
			level++
		}
	}
	return level
}

// Share returns part divided by whole, or 0 if whole is 0.
func Share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

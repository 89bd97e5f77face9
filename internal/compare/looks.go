package compare

import (
	"math"
	"slices"

	"ratelab/internal/benchresult"
)

// Pairs are measured until the verdict is clear, which is looked at again and again. Each look has an interval of its
// own (repeated confidence intervals), and the looks share Alpha: the k-th of a row's metric gets the k(k+1)-th part of
// what its rows and metrics leave it (alpha spending). The parts of any number of looks add up to no more than the
// whole, so that all intervals of a comparison hold together, whenever it ends and for whatever reason.
//
// Note: boundaries that know how the looks depend on each other are a little narrower. These sums need no more than
// arithmetic, and hold whatever depends on what: rows, metrics and looks alike.
//
// Sources: Jennison and Turnbull, Interim analyses: the repeated confidence interval approach, 1989; Lan and DeMets,
// Discrete sequential boundaries for clinical trials, 1983.

// NextLook is at how many pairs it is looked next, after so many: 16, 24, 40, 64, 104 …, each the sum of the two
// before.
func NextLook(pairs int) int {
	before, look := 8, 16
	for look <= pairs {
		before, look = look, before+look
	}
	return look
}

// lookAt is the number of the look at so many pairs, from 1. The last one is where the measurement ends.
func lookAt(pairs int) int {
	look := 1
	for at := NextLook(0); at < pairs; at = NextLook(at) {
		look++
	}
	return look
}

// MostPairs is how many pairs can be judged: the probabilities of more are too small for a float64.
const MostPairs = 1000

// alphaAt is what a look may be wrong on one side, in a comparison of so many rows.
func alphaAt(look, rows int) float64 {
	return Alpha / float64(max(1, rows)*len(judged)) / float64(look*(look+1))
}

// judged are the timing gates that give a verdict.
var judged = []string{GateServerCost, GateClientP50}

// Decided reports whether more pairs of a row would change nothing: its timings are the same, or better, or the server
// is slower, whatever the client says. rows is how many the comparison has. It knows nothing of the run's validity.
func Decided(row *benchresult.PairedRow, rows int) bool {
	return serverSlower(row, rows) || !slices.ContainsFunc(metrics(), func(m *metric) bool {
		return pairedTrial(row, row.Pairs, m, rows).row.Outcome == Inconclusive
	})
}

// serverSlower reports whether a row's server time is a regression, which needs nobody to confirm it.
func serverSlower(row *benchresult.PairedRow, rows int) bool {
	return pairedTrial(row, row.Pairs, serverCost(), rows).row.Outcome == Regression
}

// NeedsConfirmation reports whether the client's median of a row is slower in the first run, and the server's time is
// not: a second run, into Confirm, must tell whether that is so.
func NeedsConfirmation(row *benchresult.PairedRow, rows int) bool {
	return pairedTrial(row, row.Pairs, clientP50(), rows).row.Outcome == Regression && !serverSlower(row, rows)
}

// Confirmed reports whether more pairs of the second run would change nothing.
func Confirmed(row *benchresult.PairedRow, rows int) bool {
	return pairedTrial(row, row.Confirm, clientP50(), rows).row.Outcome != Inconclusive
}

// outcome is what the interval says. One between Tolerated and Equivalent is a regression: so much is shown.
func (e estimate) outcome() Outcome {
	switch {
	case e.low > math.Log(Tolerated):
		return Regression
	case e.high < -math.Log(Tolerated):
		return Improvement
	case e.low >= -math.Log(Equivalent) && e.high <= math.Log(Equivalent):
		return Same
	}
	return Inconclusive
}

// more is about how many pairs are missing until an interval as this one, of so many pairs, says something: its width
// goes with the root of their number.
func (e estimate) more(pairs int) int {
	wanted := NextLook(0)
	if width := (e.high - e.low) / 2; !math.IsInf(width, 0) {
		center := math.Abs(e.center)
		enough := max(math.Log(Equivalent)-center, center-math.Log(Tolerated))
		wanted = int(math.Ceil(float64(pairs) * math.Pow(width/enough, 2)))
	}
	return NextLook(max(wanted-1, pairs)) - pairs
}

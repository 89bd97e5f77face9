package measure

import (
	"math"
	"slices"

	"ratelab/internal/limit"
)

// shortestScaleUS is the shortest interval that is examined: 1 ms, about the shortest time in which a request is
// answered.
const shortestScaleUS = 1000

// TimeScales returns the lengths of the intervals that are examined in a run under a limit with that window, in µs and
// ascending. They go from 1 ms to ten windows, six per decade (1, 1.5, 2, 3, 5 and 7), and include the window and ten
// windows.
func TimeScales(windowUS int64) []int64 {
	longest := 10 * windowUS
	lengths := []int64{windowUS, longest}
	for decade := int64(shortestScaleUS); decade < longest; decade *= 10 {
		for _, tenths := range []int64{10, 15, 20, 30, 50, 70} {
			if us := decade / 10 * tenths; us < longest {
				lengths = append(lengths, us)
			}
		}
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

// Allowed returns the most that the contract allows in intervals of each length w. A window contract allows L if w is
// at most W, and L·⌈w/W⌉ in longer intervals. A bucket contract allows its burst and the refill at the rate L/W:
// ⌊B + L·w/W⌋.
func Allowed(p limit.Policy, lengths []int64) []int64 {
	all := make([]int64, len(lengths))
	for i, us := range lengths {
		if p.Contract == limit.ByWindow {
			all[i], _ = limit.Quotient((us-1)/p.WindowUS()+1, p.Requests, 1, math.MaxInt64)
		} else {
			earned, _ := limit.Quotient(p.Requests, us, p.WindowUS(), math.MaxInt64-p.Capacity())
			all[i] = p.Capacity() + earned
		}
	}
	return all
}

// Guarantee returns the largest x_limit of a limiter that admits at most most(us) in any half-open interval of length
// us. Under a window contract it is most(W)/L. Under a bucket contract it is the largest most(t+1)/(B + L·t/W). Only
// the lengths are tried at which the guarantees of the algorithms reach it: the shortest, the longest, and TimeScales.
func Guarantee(p limit.Policy, most func(us int64) int64) float64 {
	w := p.WindowUS()
	if p.Contract == limit.ByWindow {
		return float64(most(w)) / float64(p.Requests)
	}
	tries := append([]int64{0, 1}, TimeScales(w)...)
	for us := w; us < math.MaxInt64/20; us *= 10 {
		tries = append(tries, us)
	}
	largest := 0.0
	for _, us := range tries {
		allowed := float64(p.Capacity()) + float64(p.Requests)*(float64(us)/float64(w))
		largest = max(largest, float64(most(us+1))/allowed)
	}
	const digits = 1e9 // rounding: a value that long intervals only approach counts as reached
	return math.Round(largest*digits) / digits
}

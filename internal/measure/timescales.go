package measure

import (
	"math"
	"slices"

	"ratelab/internal/limit"
)

// shortestScaleUS is the shortest interval that is looked at: a millisecond, in which a request has its answer at best.
const shortestScaleUS = 1000

// TimeScales are the lengths of intervals in which a run under a limit of that window is looked at, in µs, ascending:
// from 1 ms to ten windows, six a decade (1, 1.5, 2, 3, 5 and 7), the window itself and ten of it among them.
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

// Allowed is what the contract allows in intervals of each of the lengths w: by the window L in each that is no longer,
// and L·⌈w/W⌉ in longer ones; by the bucket its burst and what the rate L/W brings, ⌊B + L·w/W⌋.
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

// Guarantee is the largest x_limit of a limiter that admits at most most(us) in any half-open interval of us: under a
// window contract most(W)/L, under a bucket contract the largest most(t+1)/(B + L·t/W). That is looked for where the
// bounds of the algorithms have it: in the shortest intervals, in the longest ones, and at TimeScales.
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
	const digits = 1e9 // what long intervals only approach is reached
	return math.Round(largest*digits) / digits
}

package compare

import (
	"math"
	"slices"

	"ratelab/internal/benchresult"
)

// estimate is a median with its interval; a bound is infinite where there are too few values for it.
type estimate struct{ low, center, high float64 }

// median estimates the median of values, whatever their distribution: they need be independent, and have a median in
// common. The true one lies below the interval with a probability of at most alpha, and above it with as much. The
// interval lies between two order statistics, so that swapping the sides of a comparison does no more than invert it.
//
// Note: Wilcoxon's signed ranks are sharper where the noise is normal. Here one pair in fifteen is off by 1.3x to 2.5x
// where the others lie within 2 %, and at these levels one such pair among twenty makes their interval useless.
func median(values []float64, alpha float64) estimate {
	if len(values) == 0 {
		return estimate{math.Inf(-1), math.NaN(), math.Inf(1)}
	}
	sorted := slices.Sorted(slices.Values(values))
	e := estimate{math.Inf(-1), benchresult.Median(values), math.Inf(1)}
	if k := rank(len(values), alpha); k > 0 {
		e.low, e.high = sorted[k-1], sorted[len(sorted)-k]
	}
	return e
}

// rank is the greatest k for which fewer than k of n values lie below their median with a probability of at most alpha,
// or 0. n is at most MostPairs.
func rank(n int, alpha float64) int {
	below, exactly := 0.0, math.Exp2(-float64(n)) // P(fewer than k), P(exactly k)
	for k := 0; ; k++ {
		if below += exactly; below > alpha {
			return k
		}
		exactly *= float64(n-k) / float64(k+1)
	}
}

// exp takes an estimate of a logarithm to one of the ratio.
func (e estimate) exp() estimate {
	return estimate{math.Exp(e.low), math.Exp(e.center), math.Exp(e.high)}
}

// finite is f, or nothing where JSON has no number for it.
func finite(f float64) *float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return &f
}

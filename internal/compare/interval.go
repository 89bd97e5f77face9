package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// estimate is a median with its distribution-free interval; a bound is infinite where there are too few values for it.
type estimate struct{ low, center, high float64 }

// median estimates the median of values from their order statistics, whatever their distribution. The order statistics
// are not symmetric for every number of values; the interval is widened so that it is, for swapping the sides of a
// comparison must do no more than invert it.
func median(values []float64, confidence float64) estimate {
	if len(values) == 0 {
		return estimate{math.Inf(-1), math.NaN(), math.Inf(1)}
	}
	negated := make([]float64, len(values))
	for i, v := range values {
		negated[i] = -v
	}
	up, down := summary(values, confidence), summary(negated, confidence)
	return estimate{min(up.Lo, -down.Hi), up.Center, max(up.Hi, -down.Lo)}
}

func summary(values []float64, confidence float64) benchmath.Summary {
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, confidence)
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

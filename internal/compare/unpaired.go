package compare

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// unpaired is the statistics of independent rounds.
func unpaired(values, controls [2][]float64) *Timing {
	t := &Timing{Test: "mann-whitney u", Samples: min(len(values[0]), len(values[1])), PSlower: 1, PFaster: 1, HolmSlower: 1, HolmFaster: 1}
	t.Control = controlOf(controls[0], controls[1])
	if t.Samples == 0 {
		return t
	}
	p, ratio := rankSum(values)
	t.setRatio(ratio)
	if ratio.center >= 0 {
		t.PSlower = p
	}
	if ratio.center <= 0 {
		t.PFaster = p
	}
	if len(controls[0]) > 0 && len(controls[1]) > 0 {
		p, own := rankSum(controls)
		t.Control.Ratio = finite(own.exp().center)
		left := ratio.center - own.center
		t.RatioToControl = finite(math.Exp(left))
		if moved := own.exp().center; p < Alpha && (moved > Threshold || moved < 1/Threshold) {
			t.Control.fail(fmt.Sprintf("the control was %s in the new run of what it was in the old, beyond %s", times(moved), times(Threshold)))
		}
	}
	return t
}

// rankSum is the p-value of Mann and Whitney's test, two-sided, and the logarithm of the ratio of the medians.
func rankSum(values [2][]float64) (p float64, ratio estimate) {
	base, head := logarithms(values[0]), logarithms(values[1])
	compared := benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(base), &benchmath.DefaultThresholds), benchmath.NewSample(slices.Clone(head), &benchmath.DefaultThresholds))
	return min(compared.P, 1), median(head, Confidence).minus(median(base, Confidence))
}

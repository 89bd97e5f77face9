package traffic

import (
	"math"
	"math/rand/v2"
)

// Zipf makes the key of rank r (from 0, the hottest) likely in proportion to 1/(r+1)^Exponent. Every exponent
// from 0 (uniform) on is allowed, 1 and less included.
//
// Note: math/rand/v2 has a Zipf that needs an exponent above 1, which leaves out the one most often measured
// (about 0.99, as in YCSB); a table of the cumulative distribution needs 80 MB for ten million keys.
type Zipf struct {
	Count    int64
	Exponent float64
}

// ranks draws by rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate
// variates from monotone discrete distributions", ACM TOMACS 6(3), 1996): a point is drawn under the continuous
// density x^−s, rounded to the nearest k, and kept if it fell into the part of k's strip that has k's weight.
// On average it takes fewer than 1.2 attempts, in constant memory.
func (z Zipf) ranks(random *rand.Rand) func() int64 {
	s := z.Exponent
	n := float64(z.Count)
	low := zipfArea(1.5, s) - 1 // the strip of k = 1 is cut to its own weight, 1
	high := zipfArea(n+0.5, s)
	// k − x up to this is always kept, which saves most of the evaluations of zipfArea.
	sure := 2 - zipfPoint(zipfArea(2.5, s)-math.Pow(2, -s), s)
	return func() int64 {
		for {
			area := high + random.Float64()*(low-high)
			x := zipfPoint(area, s)
			k := min(max(math.Floor(x+0.5), 1), n)
			if k-x <= sure || area >= zipfArea(k+0.5, s)-math.Exp(-s*math.Log(k)) {
				return int64(k) - 1
			}
		}
	}
}

// zipfArea is the integral of x^−s: (x^(1−s) − 1)/(1−s), which tends to ln x as s tends to 1.
func zipfArea(x, s float64) float64 {
	lnx := math.Log(x)
	return ratio(math.Expm1, (1-s)*lnx, 0.5) * lnx
}

// zipfPoint is the inverse of zipfArea.
func zipfPoint(area, s float64) float64 {
	t := max((1-s)*area, -1) // rounding may go beyond the pole by a bit
	return math.Exp(ratio(math.Log1p, t, -0.5) * area)
}

// ratio is f(x)/x, also near 0, where that is 1 + half·x.
func ratio(f func(float64) float64, x, half float64) float64 {
	if math.Abs(x) > 1e-8 {
		return f(x) / x
	}
	return 1 + half*x
}

package traffic

import (
	"math"
	"math/rand/v2"
)

// Zipf makes the probability of the key of rank r (from 0, the hottest) proportional to 1/(r+1)^Exponent. All exponents
// from 0 (uniform) on are allowed, including 1 and less.
//
// Note: Zipf of math/rand/v2 needs an exponent above 1. That excludes the most frequently measured one (about 0.99, as
// in YCSB). A table of the cumulative distribution needs 80 MB for ten million keys.
type Zipf struct {
	Count    int64
	Exponent float64
}

// ranks draws by rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from
// monotone discrete distributions", ACM TOMACS 6(3), 1996). It draws a random point with the continuous density x^−s,
// and rounds it to the nearest k. It keeps k if the point is in the part of k's strip that has k's weight, and
// otherwise draws again. On average it needs fewer than 1.2 attempts. Its memory is constant.
func (z Zipf) ranks(random *rand.Rand) func() int64 {
	s := z.Exponent
	n := float64(z.Count)
	low := zipfArea(1.5, s) - 1 // the strip of k = 1 is cut to its own weight, 1
	high := zipfArea(n+0.5, s)
	// If k − x is at most this, k is always kept. This saves most of the evaluations of zipfArea.
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

// zipfArea returns the integral of x^−s: (x^(1−s) − 1)/(1−s), which tends to ln x as s tends to 1.
func zipfArea(x, s float64) float64 {
	lnx := math.Log(x)
	return ratio(math.Expm1, (1-s)*lnx, 0.5) * lnx
}

// zipfPoint is the inverse function of zipfArea.
func zipfPoint(area, s float64) float64 {
	t := max((1-s)*area, -1) // rounding may slightly exceed the pole
	return math.Exp(ratio(math.Log1p, t, -0.5) * area)
}

// ratio returns f(x)/x. Near 0 it returns the approximation 1 + half·x.
func ratio(f func(float64) float64, x, half float64) float64 {
	if math.Abs(x) > 1e-8 {
		return f(x) / x
	}
	return 1 + half*x
}

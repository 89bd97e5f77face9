package traffic

import (
	"fmt"
	"math"
	"testing"

	"ratelab/internal/longtest"
)

// chiSquare is Pearson's statistic of observed counts against exact probabilities, and the number of cells; cells
// expected to hold fewer than 10 are merged with the ones after them.
func chiSquare(observed []int64, p []float64, n int64) (x float64, cells int) {
	obs, exp := 0.0, 0.0
	for i := range p {
		obs, exp = obs+float64(observed[i]), exp+p[i]*float64(n)
		if exp >= 10 || i == len(p)-1 && exp > 0 {
			x += (obs - exp) * (obs - exp) / exp
			cells++
			obs, exp = 0, 0
		}
	}
	return x, cells
}

// fits fails the test unless draws follow p. For k−1 degrees of freedom the statistic has mean k−1 and variance
// 2(k−1); five standard deviations are never reached by chance, and the seed is fixed anyway.
func fits(t *testing.T, next func() int64, p []float64) {
	t.Helper()
	const n = 400_000
	observed := make([]int64, len(p))
	for range n {
		observed[next()]++
	}
	x, cells := chiSquare(observed, p, n)
	if free := float64(cells - 1); x > free+5*math.Sqrt(2*free)+5 {
		t.Errorf("χ² is %.1f with %d degrees of freedom", x, cells-1)
	}
}

func zipfPMF(n int, s float64) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		p[i] = math.Pow(float64(i+1), -s)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// TestZipfFollowsItsPMF includes the exponents at and around 1, where the formulas have their pole.
func TestZipfFollowsItsPMF(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000, 50_000}[:longtest.Of(5, 4)] {
		for _, s := range []float64{0, 0.3, 0.99, 1 - 1e-12, 1, 1.1, 2, 5} {
			t.Run(fmt.Sprintf("n=%d s=%v", n, s), func(t *testing.T) {
				fits(t, Zipf{Count: int64(n), Exponent: s}.ranks(Random(1, "z", "keys")), zipfPMF(n, s))
			})
		}
	}
}

// TestZipfOfManyKeys: with ten million keys the hottest has 1/H(10⁷, 1) = 1/16.695 of the requests.
func TestZipfOfManyKeys(t *testing.T) {
	next := Zipf{Count: 10_000_000, Exponent: 1}.ranks(Random(1, "z", "keys"))
	const n = 200_000
	hottest, highest := 0, int64(0)
	for range n {
		r := next()
		if highest = max(highest, r); r == 0 {
			hottest++
		}
	}
	if p := float64(hottest) / n; math.Abs(p-1/16.695) > 0.003 {
		t.Errorf("k0 has a share of %.4f, want %.4f", p, 1/16.695)
	}
	if highest < 9_000_000 || highest >= 10_000_000 {
		t.Errorf("the highest rank is %d of ten million", highest)
	}
}

func TestKeysFollowTheirDistribution(t *testing.T) {
	t.Run("uniform", func(t *testing.T) {
		fits(t, Uniform{Count: 50}.ranks(Random(1, "u", "keys")), zipfPMF(50, 0))
	})
	t.Run("hot: two of ten keys share 80 %", func(t *testing.T) {
		p := []float64{0.4, 0.4, 0.025, 0.025, 0.025, 0.025, 0.025, 0.025, 0.025, 0.025}
		fits(t, Hot{Count: 10, Keys: 2, Share: 0.8}.ranks(Random(1, "h", "keys")), p)
	})
	t.Run("sequential", func(t *testing.T) {
		next := Sequential{Count: 3}.ranks(nil)
		for i, want := range []int64{0, 1, 2, 0, 1, 2, 0} {
			if got := next(); got != want {
				t.Errorf("draw %d is %d, want %d", i, got, want)
			}
		}
	})
}

func TestCostsFollowTheirDistribution(t *testing.T) {
	t.Run("uniform 3 to 7, both included", func(t *testing.T) {
		next := UniformCost{3, 7}.draws(Random(1, "c", "cost"))
		fits(t, func() int64 { return next() - 3 }, zipfPMF(5, 0))
	})
	t.Run("weights need not sum to 1", func(t *testing.T) {
		next := WeightedCost{{1, 9}, {50, 1}}.draws(Random(1, "c", "cost"))
		fits(t, func() int64 { return next() / 50 }, []float64{0.9, 0.1})
	})
}

// TestKeyNames: cached or not, a rank's name is the same.
func TestKeyNames(t *testing.T) {
	names := &keyNames{}
	for _, rank := range []int64{0, 7, 63, 64, 1000, cachedNames - 1, cachedNames, 9_999_999, 7, 64} {
		if got, want := names.of(rank), fmt.Sprintf("k%d", rank); got != want {
			t.Errorf("rank %d is named %s", rank, got)
		}
	}
}

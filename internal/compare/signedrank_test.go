package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var about = cmpopts.EquateApprox(1e-9, 1e-12)

// Cases worked by hand: the sums of ranks that are as great or greater, out of the 2^n choices of signs.
func TestSignedRankByHand(t *testing.T) {
	for _, c := range []struct {
		name         string
		differences  []float64
		above, below float64
	}{
		{"nothing", nil, 1, 1},
		{"one", []float64{0.3}, 1. / 2, 1},
		{"five above", []float64{1, 2, 3, 4, 5}, 1. / 32, 1},
		{"the smallest of five below", []float64{-1, 2, 3, 4, 5}, 2. / 32, 31. / 32}, // 14 and 15, of 15
		// 34 124 134 234 1234; all but none, 1 and 2
		{"ranks 1 to 4, the third below", []float64{1, 2, -3, 4}, 5. / 16, 13. / 16},
		// ranks 1.5, 1.5, 3: sums 0 1.5 1.5 3 3 4.5 4.5 6
		{"two of a size share rank 1.5", []float64{1, -1, 2}, 3. / 8, 7. / 8},
		{"all zero", []float64{0, 0, 0}, 1, 1},
		{"a zero takes rank 1 and leaves", []float64{0, 2, 3}, 1. / 4, 1}, // ranks 2 and 3 remain
	} {
		above, below := signedRank(c.differences)
		if !cmp.Equal([]float64{above, below}, []float64{c.above, c.below}, about) {
			t.Errorf("%s: above %v, below %v; want %v, %v", c.name, above, below, c.above, c.below)
		}
	}
}

// The published critical values of Wilcoxon's T, one-sided 0.01: the greatest sum of the rarer sign that is
// significant, and the next one that is not.
func TestSignedRankMeetsTheTable(t *testing.T) {
	for n, critical := range map[int]int{8: 1, 10: 5, 15: 19, 20: 43, 25: 76, 30: 120} {
		for _, c := range []struct {
			sum         int
			significant bool
		}{{critical, true}, {critical + 1, false}} {
			above, _ := signedRank(withNegativeSum(n, c.sum))
			if (above <= 0.01) != c.significant {
				t.Errorf("n %d, T %d: p %v; the table says significant %t", n, c.sum, above, c.significant)
			}
		}
	}
}

// withNegativeSum are the differences 1 … n with those made negative whose ranks sum up to this.
func withNegativeSum(n, sum int) []float64 {
	var d []float64
	for rank := n; rank >= 1; rank-- {
		if rank <= sum {
			sum -= rank
			d = append(d, -float64(rank))
			continue
		}
		d = append(d, float64(rank))
	}
	return d
}

// Every assignment of signs counted, one by one, with ties and zeros.
func TestSignedRankIsTheEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(-4, 4), 1, 12).Draw(t, "differences")
		d := make([]float64, len(sizes))
		for i, s := range sizes {
			d[i] = float64(s) / 8
		}
		above, below := signedRank(d)
		wantAbove, wantBelow := enumerate(d)
		if diff := cmp.Diff([]float64{wantAbove, wantBelow}, []float64{above, below}, about); diff != "" {
			t.Fatalf("%v (-enumerated +computed):\n%s", d, diff)
		}
	})
}

// enumerate is the test from its definition: ranks by comparing each with each, and every choice of signs.
func enumerate(d []float64) (above, below float64) {
	var ranks []float64
	var plus, minus float64
	for _, x := range d {
		rank := 0.5
		for _, y := range d {
			switch {
			case math.Abs(y) < math.Abs(x):
				rank++
			case math.Abs(y) == math.Abs(x):
				rank += 0.5
			}
		}
		switch {
		case x > 0:
			plus += rank
		case x < 0:
			minus += rank
		default:
			continue
		}
		ranks = append(ranks, rank)
	}
	choices := 1 << len(ranks)
	for choice := range choices {
		sum := 0.0
		for i, r := range ranks {
			if choice>>i&1 == 1 {
				sum += r
			}
		}
		if sum >= plus {
			above++
		}
		if sum >= minus {
			below++
		}
	}
	return above / float64(choices), below / float64(choices)
}

// Where the exact distribution gives way to the normal one, the two agree.
func TestSignedRankApproximates(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		d := make([]float64, exactMost)
		for i := range d {
			d[i] = math.Round(20*random.NormFloat64()+4*random.Float64()) / 8 // with ties and zeros
		}
		ranks, plus, _ := doubledRanks(d)
		exact, normal := exactTail(ranks, plus), normalTail(ranks, plus)
		if math.Abs(exact-normal) > 0.002 {
			t.Errorf("exact %v, normal %v", exact, normal)
		}
	}
}

// Holm's own procedure, worked by hand: 0.01·4, 0.02·3, 0.03·2, 0.04·1, none smaller than the one before.
func TestHolmByHand(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.04, 0.01, 0.02, 0.03}, []float64{0.06, 0.04, 0.06, 0.06}},
		{[]float64{0.5, 0.6, 0.001}, []float64{1, 1, 0.003}},
	} {
		if diff := cmp.Diff(c.want, holm(c.p), about); diff != "" {
			t.Errorf("holm(%v) (-want +got):\n%s", c.p, diff)
		}
	}
}

// The order of the comparisons does not matter, and no correction makes one more significant.
func TestHolmKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		corrected := holm(p)
		for i := range p {
			if corrected[i] < p[i] || corrected[i] > 1 {
				t.Fatalf("%v became %v", p[i], corrected[i])
			}
			for j := range p {
				if p[i] < p[j] && corrected[i] > corrected[j] {
					t.Fatalf("%v < %v became %v > %v", p[i], p[j], corrected[i], corrected[j])
				}
			}
		}
		again := slices.Clone(p)
		slices.Reverse(again)
		reversed := holm(again)
		slices.Reverse(reversed)
		if !cmp.Equal(corrected, reversed, about) {
			t.Fatalf("in the other order %v, in this %v", reversed, corrected)
		}
	})
}

// The interval of a median is that of the order statistics: of 20 values the 6th to the 15th hold it with 95.9 %.
func TestMedianInterval(t *testing.T) {
	values := make([]float64, 20)
	for i := range values {
		values[i] = float64((7*i)%20 + 1)
	}
	if got := median(values, 0.95); got != (estimate{6, 10.5, 15}) {
		t.Errorf("median of 1 to 20: %v, want 10.5 in 6 to 15", got)
	}
	if got := median([]float64{1, 2, 3}, 0.95); !math.IsInf(got.low, -1) || got.center != 2 ||
		!math.IsInf(got.high, 1) {
		t.Errorf("of three values: %v, want no bounds", got)
	}
}

func ExampleOutcome_ExitCode() {
	fmt.Println(OK.ExitCode(), Regression.ExitCode(), Inconclusive.ExitCode(), Improvement.ExitCode())
	// Output: 0 1 4 0
}

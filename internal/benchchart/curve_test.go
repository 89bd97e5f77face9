package benchchart

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/benchresult"
)

// A hundred durations of 1 to 100 µs: what stands at nine tenths is 90, at the end the longest.
func TestRanksByHand(t *testing.T) {
	h := benchresult.NewHistogram()
	for v := range int64(100) {
		_ = h.RecordValue(v + 1)
	}
	ranks := ranksOf(h)
	if first, last := ranks[0], ranks[len(ranks)-1]; first != (rank{0, 1}) || last != (rank{2, 100}) {
		t.Errorf("from %v to %v, want from 1 µs at no nines to 100 µs at two", first, last)
	}
	for _, r := range ranks {
		if math.Abs(r.nines-1) < 1e-9 && r.us != 90 {
			t.Errorf("p90 is %v, want 90", r.us)
		}
	}
	if ranksOf(benchresult.NewHistogram()) != nil {
		t.Error("an empty histogram has a curve")
	}
}

// The curve says what the histogram says, and never falls.
func TestRanksAreThePercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := benchresult.NewHistogram()
		for _, v := range rapid.SliceOfN(rapid.Int64Range(1, 2_000_000), 1, 300).Draw(t, "durations") {
			_ = h.RecordValue(v)
		}
		last := rank{-1, 0}
		for _, r := range ranksOf(h) {
			if r.nines < last.nines || r.us < last.us {
				t.Fatalf("%v follows %v", r, last)
			}
			last = r
			want := float64(h.ValueAtPercentile(100 * r.share()))
			if r.nines > 0 && r.us != want && r.us != float64(h.Max()) {
				t.Fatalf("at %v nines %v µs, the histogram says %v", r.nines, r.us, want)
			}
		}
	})
}

package curves

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/report"
)

// Joining buckets loses no request and no peak, and never makes more bins than are wanted.
func TestJoinKeepsSumAndPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1e9), 1, 600).Draw(t, "values")
		most := rapid.SampledFrom([]int{maxBins, maxRateBins}).Draw(t, "most")
		k := joinFactor(len(values), rapid.Int64Range(1, 1e9).Draw(t, "bucket"), most)
		added, highest, all := sums(values, k), peaks(values, k), soFar(values, k)
		if len(added) > most || len(highest) != len(added) || len(all) != len(added) {
			t.Fatalf("%d buckets became %d, %d and %d bins", len(values), len(added), len(highest), len(all))
		}
		sum := int64(0)
		for i, v := range values {
			sum += v
			if last := i == len(values)-1; (last || (i+1)%k == 0) && all[i/k] != sum {
				t.Fatalf("bin %d ends at %d, its last bucket at %d", i/k, all[i/k], sum)
			}
		}
		if total(added) != sum || total(values) != sum {
			t.Fatalf("the bins add up to %d, the buckets to %d", total(added), sum)
		}
		if slices.Max(highest) != slices.Max(values) {
			t.Fatalf("the highest bin is %d, the highest bucket %d", slices.Max(highest), slices.Max(values))
		}
	})
}

// Of the factors that leave few enough bins, the one with the roundest width is taken.
func TestJoinFactorPrefersRoundWidths(t *testing.T) {
	for _, c := range []struct {
		buckets  int
		bucketUS int64
		most     int
		want     string
	}{
		{600, 10_000, 180, "40 ms"},     // 4, not 5 or 7: all round, the finest wins
		{500, 20_000, 72, "200 ms"},     // 7 would do and give 140 ms
		{100, 60_000_000, 180, "1 min"}, // nothing to join
		{512, 168_750_000, 72, "45 min"},
		{270, 10_000, maxBins, "10 ms"},
		{401, 5_000, maxBins, "10 ms"},
	} {
		k := joinFactor(c.buckets, c.bucketUS, c.most)
		if got := report.Natural(float64(k) * float64(c.bucketUS)); got != c.want {
			t.Errorf("%d buckets of %s: bins of %s, want %s", c.buckets, report.Natural(float64(c.bucketUS)), got,
				c.want)
		}
	}
}

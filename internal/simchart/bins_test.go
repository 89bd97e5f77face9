package simchart

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/chart"
)

// Joining buckets loses no request and no peak.
func TestJoinKeepsSumAndPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1e9), 1, 600).Draw(t, "values")
		k := joinFactor(len(values), rapid.Int64Range(1, 1e9).Draw(t, "bucket"), 180)
		sums, peaks := joinSum(values, k), joinMax(values, k)
		if len(sums) > 180 || len(peaks) != len(sums) {
			t.Fatalf("%d buckets became %d and %d bins", len(values), len(sums), len(peaks))
		}
		total := int64(0)
		for _, v := range values {
			total += v
		}
		if last := runningSum(sums)[len(sums)-1]; last != float64(total) {
			t.Fatalf("the bins add up to %v, the buckets to %d", last, total)
		}
		if maximum(peaks) != float64(slices.Max(values)) {
			t.Fatalf("the highest bin is %v, the highest bucket %d", maximum(peaks), slices.Max(values))
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
	} {
		k := joinFactor(c.buckets, c.bucketUS, c.most)
		if got := chart.Span(float64(k) * float64(c.bucketUS)); got != c.want {
			t.Errorf("%d buckets of %s: bins of %s, want %s", c.buckets, chart.Span(float64(c.bucketUS)), got, c.want)
		}
	}
}

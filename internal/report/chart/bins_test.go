package chart

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
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
		if got := span(float64(k) * float64(c.bucketUS)); got != c.want {
			t.Errorf("%d buckets of %s: bins of %s, want %s", c.buckets, span(float64(c.bucketUS)), got, c.want)
		}
	}
}

// What is left of a line runs nowhere further from what was left out than can be seen.
func TestSimplifyStaysOnTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heights := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 80).Draw(t, "heights")
		line := make([]point, len(heights))
		for i, y := range heights {
			line[i] = point{float64(i), y}
		}
		kept := simplify(slices.Clone(line))
		if kept[0] != line[0] || kept[len(kept)-1] != line[len(line)-1] {
			t.Fatalf("the ends moved: %v became %v", line, kept)
		}
		for _, q := range line {
			if d := fromPath(q, kept); d > unseen+1e-9 {
				t.Fatalf("%v is %.3f px from %v", q, d, kept)
			}
		}
	})
}

// fromPath is the distance of q from the segment of the path that spans q.x.
func fromPath(q point, path []point) float64 {
	least := math.Inf(1)
	for i := range path {
		from := path[max(i-1, 0)]
		if from.x <= q.x && q.x <= path[i].x {
			least = min(least, fromLine(q, from, path[i]))
		}
	}
	return least
}

func TestSimplifyKeepsOnlyTheCorners(t *testing.T) {
	line := []point{{0, 0}, {1, 1.01}, {2, 2}, {3, 2}, {4, 2.04}, {5, 2}} // none of the others can be seen
	if got := simplify(line); !slices.Equal(got, []point{{0, 0}, {2, 2}, {5, 2}}) {
		t.Errorf("kept %v, want both ends and the corner", got)
	}
}

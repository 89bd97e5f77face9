package simchart

import (
	"math"
	"strconv"
	"strings"

	"ratelab/internal/chart"
)

// A picture has fewer pixels than a series has buckets, so buckets are joined into bins of equal width before
// they are drawn: counts are added, and of the rolling sums the highest is kept, so that no peak is lost. The
// CSV keeps every bucket.

// maxRateBins is the most bins of a rate: in narrower ones whole requests make teeth of an even flow.
const maxRateBins = 72

// maxBins is the most bins of a sum, about one a pixel: a dozen panels stay below 150 kB.
func maxBins(columns int) int { return 540 / columns }

// joinFactor is how many buckets make a bin: few enough bins, and of those factors the one whose bin has the
// roundest width.
func joinFactor(buckets int, bucketUS int64, most int) int {
	least := (buckets + most - 1) / most
	best, roundest := least, math.MaxInt
	for k := least; k <= 2*least; k++ {
		if r := roundness(int64(k) * bucketUS); r < roundest {
			best, roundest = k, r
		}
	}
	return best
}

// roundness counts the significant digits of a width in its natural unit: 1 for 20 ms, 2 for 140 ms or 15 min,
// 3 for 11.7 ms.
func roundness(us int64) int {
	digits := strconv.FormatFloat(float64(us)/chart.NaturalUnit(float64(us)), 'f', -1, 64)
	return len(strings.Trim(strings.Replace(digits, ".", "", 1), "0"))
}

func joinSum(values []int64, k int) []float64 {
	return join(values, k, func(sum, v float64) float64 { return sum + v })
}

func joinMax(values []int64, k int) []float64 { return join(values, k, math.Max) }

func join(values []int64, k int, merge func(bin, v float64) float64) []float64 {
	bins := make([]float64, (len(values)+k-1)/k)
	for i, v := range values {
		bins[i/k] = merge(bins[i/k], float64(v))
	}
	return bins
}

// runningSum gives the total at the end of each bin.
func runningSum(values []float64) []float64 {
	out := make([]float64, len(values))
	total := 0.0
	for i, v := range values {
		total += v
		out[i] = total
	}
	return out
}

func maximum(lists ...[]float64) float64 {
	top := 0.0
	for _, list := range lists {
		for _, v := range list {
			top = max(top, v)
		}
	}
	return top
}

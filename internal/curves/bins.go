package curves

import (
	"math"
	"strconv"
	"strings"

	"ratelab/internal/report"
)

// A chart has less room than a series has buckets. So buckets are joined into bins of equal width. Counts are added.
// For rolling sums the highest is kept, so that no peak is lost. The CSV has all buckets.

// maxBins is the most bins of a sum: about one per pixel with two panels side by side, and wide enough for a pointer on
// the page. A rate has fewer bins: with narrow bins, an even flow would look like a saw, since requests are whole.
const (
	maxBins     = 270
	maxRateBins = 72
)

// joinFactor returns the number of buckets in a bin: a number with which there are at most `most` bins, of the roundest
// width.
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

// roundness counts the significant digits of a width in its natural unit: 1 for 20 ms, 2 for 140 ms or 15 min, 3 for
// 11.7 ms.
func roundness(us int64) int {
	digits := strconv.FormatFloat(float64(us)/report.NaturalUnit(float64(us)), 'f', -1, 64)
	return len(strings.Trim(strings.Replace(digits, ".", "", 1), "0"))
}

func sums(values []int64, k int) []int64 {
	return joined(values, k, func(bin, v int64) int64 { return bin + v })
}

func peaks(values []int64, k int) []int64 {
	return joined(values, k, func(bin, v int64) int64 { return max(bin, v) })
}

// soFar returns the total at the end of each bin.
func soFar(values []int64, k int) []int64 {
	totals := sums(values, k)
	for i := 1; i < len(totals); i++ {
		totals[i] += totals[i-1]
	}
	return totals
}

func total(values []int64) int64 { return sums(values, len(values))[0] }

func joined(values []int64, k int, merge func(bin, v int64) int64) []int64 {
	bins := make([]int64, (len(values)+k-1)/k)
	for i, v := range values {
		bins[i/k] = merge(bins[i/k], v)
	}
	return bins
}

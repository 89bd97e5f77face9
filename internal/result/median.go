package result

import (
	"math"
	"slices"
)

// Median returns the median of the values, or 0 if there are no values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// noisePercentile is the percentile of the differences between two measurements of the same code.
const noisePercentile = 0.95

// NoiseFloorOf compares each round of each limiter and scenario with the next round.
func NoiseFloorOf(all []Latency) NoiseFloor {
	var floor NoiseFloor
	var server, response []float64
	for _, l := range all {
		for i := 1; i < len(l.Rounds); i++ {
			floor.Pairs++
			a, b := &l.Rounds[i-1], &l.Rounds[i]
			response = appendDistance(response, a.ResponseP50US, b.ResponseP50US)
			if a.ServerUSPerCall != nil && b.ServerUSPerCall != nil {
				server = appendDistance(server, *a.ServerUSPerCall, *b.ServerUSPerCall)
			}
		}
	}
	floor.ServerUS, floor.ResponseP50US = asRatio(server), asRatio(response)
	return floor
}

// appendDistance appends |ln(a/b)|, unless a or b was not measured.
func appendDistance(distances []float64, a, b float64) []float64 {
	if a <= 0 || b <= 0 {
		return distances
	}
	return append(distances, math.Abs(math.Log(a/b)))
}

// asRatio returns the percentile of the distances by the nearest rank, as a ratio.
func asRatio(distances []float64) float64 {
	if len(distances) == 0 {
		return 0
	}
	slices.Sort(distances)
	rank := int(math.Ceil(noisePercentile * float64(len(distances))))
	return math.Exp(distances[rank-1])
}

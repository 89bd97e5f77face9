package result

import (
	"math"
	"slices"
)

// Median is the median of the values; 0 if there are none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// RatioToControl is the median of the rounds' own ratios of the server's µs per decision, samples over control;
// nil where no round has both. What slows a whole round down cancels out.
func RatioToControl(samples, control []Sample) *float64 {
	ofRound := map[int]float64{}
	for _, c := range control {
		if c.ServerUSPerCall != nil && *c.ServerUSPerCall > 0 {
			ofRound[c.Round] = *c.ServerUSPerCall
		}
	}
	var ratios []float64
	for _, s := range samples {
		if base, ok := ofRound[s.Round]; ok && s.ServerUSPerCall != nil {
			ratios = append(ratios, *s.ServerUSPerCall/base)
		}
	}
	if ratios == nil {
		return nil
	}
	m := Median(ratios)
	return &m
}

// noisePercentile is that of the differences between two measurements of the same code.
const noisePercentile = 0.95

// NoiseFloorOf takes groups of measurements of the same code, each in the order of time, and compares each with the
// next of its group.
func NoiseFloorOf(groups ...[]Sample) NoiseFloor {
	var floor NoiseFloor
	var server, client []float64
	for _, samples := range groups {
		for i := 1; i < len(samples); i++ {
			floor.Pairs++
			a, b := &samples[i-1], &samples[i]
			client = appendDistance(client, a.ServiceP50US, b.ServiceP50US)
			if a.ServerUSPerCall != nil && b.ServerUSPerCall != nil {
				server = appendDistance(server, *a.ServerUSPerCall, *b.ServerUSPerCall)
			}
		}
	}
	floor.ServerUS, floor.ClientP50US = asRatio(server), asRatio(client)
	return floor
}

// NoiseFloorOfCosts is that of a result: the rounds of each algorithm and mix are a group.
func NoiseFloorOfCosts(costs []Cost) NoiseFloor {
	var groups [][]Sample
	for i := range costs {
		for j := range costs[i].Mixes {
			groups = append(groups, costs[i].Mixes[j].Samples)
		}
	}
	return NoiseFloorOf(groups...)
}

// appendDistance adds |ln(a/b)|, unless nothing was measured.
func appendDistance(distances []float64, a, b float64) []float64 {
	if a <= 0 || b <= 0 {
		return distances
	}
	return append(distances, math.Abs(math.Log(a/b)))
}

// asRatio is the percentile of the distances by the nearest rank, as a ratio.
func asRatio(distances []float64) float64 {
	if len(distances) == 0 {
		return 0
	}
	slices.Sort(distances)
	rank := int(math.Ceil(noisePercentile * float64(len(distances))))
	return math.Exp(distances[rank-1])
}

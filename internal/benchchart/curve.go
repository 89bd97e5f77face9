package benchchart

import (
	"math"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// rank is one point of a latency distribution: on the axis of nines, a share p of the durations stands at -log10(1-p),
// so that 90 % is 1, 99 % is 2 and 99.9 % is 3.
type rank struct {
	nines float64
	us    float64
}

// rankStep is the distance of two points of a curve, in nines: a few pixels.
const rankStep = 0.05

// ranksOf walks a histogram once. The curve starts at the least duration and ends where a single one is left: beyond,
// nothing is known. An empty histogram has none.
func ranksOf(h *benchresult.Histogram) []rank {
	n := h.TotalCount()
	if n == 0 {
		return nil
	}
	ranks := []rank{{0, float64(h.Min())}}
	next, seen := rankStep, int64(0)
	last := math.Log10(float64(n))
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		seen += bar.Count
		for next < last && seen >= counted(next, n) {
			ranks = append(ranks, rank{next, float64(bar.To)})
			next += rankStep
		}
	}
	return append(ranks, rank{last, float64(h.Max())})
}

// counted is how many of n durations lie at or below a rank, rounded as HdrHistogram does.
func counted(nines float64, n int64) int64 {
	return max(1, int64((1-math.Pow(10, -nines))*float64(n)+0.5))
}

// share is the part of the durations that a rank is not below.
func (r rank) share() float64 { return 1 - math.Pow(10, -r.nines) }

// nines is the horizontal axis of a latency distribution, up to that many.
func nines(most float64) chart.Axis {
	most = max(most, 1)
	return chart.Axis{
		Share: func(v float64) float64 { return v / most },
		Ticks: func(length float64) []chart.Tick {
			ticks := []chart.Tick{{At: math.Log10(2), Label: "p50"}}
			if length/most < 34 {
				ticks = nil // no room beside p90
			}
			labels := []string{"p90", "p99", "p99.9", "p99.99", "p99.999", "p99.9999", "p99.99999"}
			for i, label := range labels {
				if v := float64(i + 1); v <= most+1e-9 {
					ticks = append(ticks, chart.Tick{At: v, Label: label})
				}
			}
			return ticks
		},
	}
}

// line draws a distribution.
func line(a *chart.Axes, ranks []rank) []chart.Point {
	points := make([]chart.Point, len(ranks))
	for i, r := range ranks {
		points[i] = a.At(r.nines, r.us)
	}
	return chart.Simplify(points)
}

// roundTo rounds v to so many decimals.
func roundTo(v float64, decimals int) float64 {
	power := math.Pow(10, float64(decimals))
	return math.Round(v*power) / power
}

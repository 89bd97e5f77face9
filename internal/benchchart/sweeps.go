package benchchart

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// sweeps gives the algorithms that have a sweep, all numbers of connections, and the highest throughput.
func (s *scene) sweeps() (labels []string, levels []int, top float64) {
	for _, label := range s.labels() {
		any := false
		for _, r := range s.results {
			cost := costOf(r, label)
			if cost == nil || len(cost.Sweep) == 0 {
				continue
			}
			any = true
			for _, l := range cost.Sweep {
				levels, top = append(levels, l.Connections), max(top, l.ThroughputPerS)
			}
		}
		if any {
			labels = append(labels, label)
		}
	}
	slices.Sort(levels)
	return labels, slices.Compact(levels), top
}

// connectionAxis has a place for each power of two, and a label for each number that was measured and has room.
func connectionAxis(levels []int) chart.Axis {
	low, high := math.Log2(float64(max(levels[0], 1))), math.Log2(float64(max(levels[len(levels)-1], 1)))
	span := max(high-low, 1)
	share := func(v float64) float64 { return (math.Log2(max(v, 1)) - low + 0.12) / (span + 0.24) }
	return chart.Axis{Unit: "connections, logarithmic", Share: share, Ticks: func(length float64) []chart.Tick {
		var ticks []chart.Tick
		last := math.Inf(-1)
		for _, n := range levels {
			if at := share(float64(n)) * length; at-last >= 24 {
				ticks, last = append(ticks, chart.Tick{At: float64(n), Label: strconv.Itoa(n)}), at
			}
		}
		return ticks
	}}
}

func sweepLine(a *chart.Axes, sweep []benchresult.Level) []chart.Point {
	var points []chart.Point
	for _, l := range sweep {
		points = append(points, a.At(float64(l.Connections), l.ThroughputPerS))
	}
	return points
}

// lineOf tells the results' lines apart.
var lineOf = [most][]float64{nil, {5, 2.5}, {1.6, 2}, {7, 2, 1.6, 2}}

func (s *scene) drawSweeps(a *chart.Axes, label string, c color.NRGBA) {
	for i, r := range s.results {
		if cost := costOf(r, label); cost != nil && len(cost.Sweep) > 0 {
			points := sweepLine(a, cost.Sweep)
			a.Pen.Stroke(points, c, 1.6, lineOf[i]...)
			if len(points) == 1 {
				a.Pen.Dot(points[0], 2.4, c)
			}
		}
	}
}

// throughputFact is the best of each result.
func (s *scene) throughputFact(label string) string {
	text := ""
	for _, r := range s.results {
		best := 0.0
		if cost := costOf(r, label); cost != nil {
			for _, l := range cost.Sweep {
				best = max(best, l.ThroughputPerS)
			}
		}
		figure := "not measured"
		if best > 0 {
			figure = perSecond(best)
		}
		if text != "" {
			figure = ", " + figure
		}
		text += figure
	}
	return "best " + text + " per second"
}

// perSecond writes a rate with three digits: 48.2 k, 913.
func perSecond(v float64) string {
	digits := 3 - 1 - int(math.Floor(math.Log10(max(v, 1))))
	return chart.Short(roundTo(v, digits))
}

package simchart

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/chart"
	_ "ratelab/internal/longtest" // fewer examples
)

// Every line passes through every value that it stands for, as closely as can be seen, also in a last bin of which
// only a part is left, and wherever the axis begins.
func TestLinesPassThroughEveryValue(t *testing.T) {
	const binUS, near = 1000, 0.06
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 270).Draw(t, "values")
		start := rapid.Int64Range(0, 1e9).Draw(t, "start")
		begin := float64(start)
		end := begin + float64(int64(len(values))*binUS-rapid.Int64Range(0, binUS-1).Draw(t, "missing"))
		a := axes{Axes: &chart.Axes{Box: chart.Box{Left: 40, Top: 10, Right: 680, Bottom: 160},
			Horizontal: chart.Time(begin, end), Vertical: chart.Counts(1000, 150, "requests")}, from: start}
		stairs, slopes, totals := a.steps(values, binUS), a.profile(values, binUS), a.rise(values, binUS)
		for i, v := range values {
			from, middle := begin+float64(i*binUS), min(begin+(float64(i)+0.5)*binUS, end)
			to := min(begin+float64((i+1)*binUS), end)
			for name, d := range map[string]float64{
				"steps":   distance(a.At((from+to)/2, float64(v)), stairs),
				"profile": distance(a.At(middle, float64(v)), slopes),
				"rise":    distance(a.At(to, float64(v)), totals),
			} {
				if d > near {
					t.Fatalf("%s: value %d, %d, is %.2f px from the line", name, i, v, d)
				}
			}
		}
	})
}

// distance is how far a point is from the nearest piece of a line.
func distance(p chart.Point, line []chart.Point) float64 {
	nearest := math.Inf(1)
	for i := 1; i < len(line); i++ {
		q, r := line[i-1], line[i]
		x, y, along := r.X-q.X, r.Y-q.Y, 0.0
		if length := x*x + y*y; length > 0 {
			along = min(max(((p.X-q.X)*x+(p.Y-q.Y)*y)/length, 0), 1)
		}
		nearest = min(nearest, math.Hypot(p.X-q.X-along*x, p.Y-q.Y-along*y))
	}
	return nearest
}

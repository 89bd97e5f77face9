package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// plane is the size of a logarithmic plot: its coordinates are whole, and finer than any screen.
const plane = 1000

// scaled maps lengths of intervals and counts to the plane. Both axes are logarithmic: from a millisecond to ten
// windows, a limit of a burst and a rate is a line that bends once, and an excess is a distance, wherever it stands.
type scaled struct {
	*curves.Timescale
	x, y chart.Axis
	xEnd float64
}

// scalesPlot shows in which lengths of time an algorithm lets through more than the limit, and what it promises.
func scalesPlot(t *curves.Timescale, l *labels) plot {
	s := newScaled(t)
	p := plot{Kind: "scales", Caption: t.Caption, Width: fmt.Sprint(plane), High: fmt.Sprint(plane), YUnit: t.Unit,
		ValueHead: "in " + span(t.Limit.WindowUS), BoundHead: "promised", Places: s.places(),
		Last:  len(t.IntervalUS) - 1,
		Limit: s.path(t.Allowed), Limits: numbers(t.Allowed), Allowed: chart.Exact(t.Allowed[t.Window])}
	var g group
	for _, c := range t.Curves {
		g.add(l.of(c.Label), s.curve(c))
	}
	p.horizontal(chart.Axis{Share: func(us float64) float64 { return s.x.Share(us) / s.xEnd }, Ticks: s.x.Ticks})
	for _, t := range s.y.Ticks(plotHeight) {
		at := math.Round(plane * s.y.Share(t.At))
		p.YTicks = append(p.YTicks, tick{percentFrom(1 - at/plane), t.Label})
		p.Grid += fmt.Sprintf("M0 %vH%d", at, plane)
	}
	p.Curves = g.sorted()
	return p
}

func newScaled(t *curves.Timescale) *scaled {
	top := slices.Max(t.Allowed)
	for _, c := range t.Curves {
		top = max(top, slices.Max(c.Values))
	}
	last := float64(t.IntervalUS[len(t.IntervalUS)-1])
	s := &scaled{Timescale: t,
		x: chart.Logarithmic(float64(t.IntervalUS[0]), last, 70, "", chart.Span),
		y: chart.Logarithmic(1, float64(max(top, 1)), 34, "", chart.Short)}
	s.xEnd = s.x.Share(last)
	return s
}

func (s *scaled) places() string {
	var list []string
	for _, us := range s.IntervalUS {
		list = append(list, "in "+span(us))
	}
	return strings.Join(list, "|")
}

// path goes through the values, one for each interval.
func (s *scaled) path(values []int64) string {
	var out strings.Builder
	for i, v := range values {
		x := plane * s.x.Share(float64(s.IntervalUS[i])) / s.xEnd
		y := plane * min(s.y.Share(float64(v)), 2) // a bound may be far beyond what happened
		fmt.Fprintf(&out, "%s%.0f %.0f", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	return out.String()
}

func (s *scaled) curve(c curves.Curve) curve {
	out := curve{Path: s.path(c.Values), Values: numbers(c.Values), Most: chart.Exact(c.Top), Top: c.Top}
	if c.Bound != nil {
		out.Bound, out.Bounds, out.Promis = s.path(c.Bound), numbers(c.Bound), chart.Exact(c.Bound[s.Window])
	}
	return out
}

// numbers are the values of a path's points.
func numbers(values []int64) string { return strings.Trim(fmt.Sprint(values), "[]") }

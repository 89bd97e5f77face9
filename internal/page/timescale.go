package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// plane is the size of a logarithmic plot: its coordinates are whole, and finer than any screen.
const plane = 1000

// scaled maps lengths of intervals and multiples of a promise to the plane. Both axes are logarithmic, so that a
// millisecond can be read beside ten windows, and an excess is a distance, wherever it stands.
type scaled struct {
	*curves.Timescale
	x, y chart.Axis
}

// scalesPlot shows in which lengths of time an algorithm lets through how much of what it promises, or of what the
// contract allows where it promises nothing. What one points at is told in counts.
func scalesPlot(t *curves.Timescale, l *labels) plot {
	s := newScaled(t)
	p := plot{Kind: "scales", Caption: "The most let through for one key in any interval, by the interval's length: " +
		"multiples of what the algorithm promises for it, or of what the contract allows where it promises nothing. " +
		"The key has the " + t.Unit, Width: fmt.Sprint(plane), High: fmt.Sprint(plane),
		YUnit: t.Unit, ValueHead: "in " + span(t.Limit.WindowUS), BoundHead: "promised", Places: s.places(),
		Last: len(t.IntervalUS) - 1, Level: contractLevel(t.Chart), Limit: s.promise(),
		Limits: numbers(t.Allowed), Allowed: message.Grouped(t.Allowed[t.Window])}
	var g group
	for _, c := range t.Curves {
		g.add(l.of(c.Label), s.curve(c))
	}
	p.Count = g.rest(l.order)
	p.horizontal(s.x)
	for _, t := range s.y.Ticks(plotHeight) {
		at := math.Round(plane * s.y.Share(t.Value))
		p.YTicks = append(p.YTicks, tick{percentFrom(1 - at/plane), t.Label})
		p.Grid += fmt.Sprintf("M0 %vH%d", at, plane)
	}
	p.Curves = g.sorted()
	return p
}

// contractLevel is what the line of the promise is called, with what the contract allows beside it.
func contractLevel(c curves.Chart) string {
	if _, name := c.Allows(); name != "limit" {
		return "the promise; the contract allows the " + name
	}
	return "the promise; the contract allows"
}

// leastMultiple is what the axis begins with at the least.
const leastMultiple = 0.001

func newScaled(t *curves.Timescale) *scaled {
	low, top := 1.0, 1.0
	for _, c := range t.Curves {
		for _, v := range c.Multiples {
			if v > 0 {
				low, top = min(low, v), max(top, v)
			}
		}
	}
	return &scaled{Timescale: t,
		x: chart.LogTime(float64(t.IntervalUS[0]), float64(t.IntervalUS[len(t.IntervalUS)-1])),
		y: chart.Logarithmic(max(low, leastMultiple), top*1.25, 34, "", report.Short)}
}

func (s *scaled) places() string {
	var list []string
	for _, us := range s.IntervalUS {
		list = append(list, "in "+span(us))
	}
	return strings.Join(list, "|")
}

// path goes through the multiples, one for each interval.
func (s *scaled) path(multiples []float64) string {
	var out strings.Builder
	for i, v := range multiples {
		x, y := plane*s.x.Share(float64(s.IntervalUS[i])), plane*s.y.Share(v)
		fmt.Fprintf(&out, "%s%.0f %.0f", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	return out.String()
}

// promise is the level of what is promised.
func (s *scaled) promise() string { return s.path(slices.Repeat([]float64{1}, len(s.IntervalUS))) }

func (s *scaled) curve(c curves.Curve) curve {
	out := curve{Path: s.path(c.Multiples), Values: numbers(c.Values), Most: message.Grouped(c.Top), Top: c.Top}
	if c.Bound != nil {
		out.Bound, out.Bounds, out.Promis = s.promise(), numbers(c.Bound), message.Grouped(c.Bound[s.Window])
	}
	return out
}

// numbers are the values of a path's points.
func numbers(values []int64) string { return strings.Trim(fmt.Sprint(values), "[]") }

package page

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// leastMultiple is what the axis of multiples begins with at the least.
const leastMultiple = 0.001

// scalesPlot shows in which lengths of time an algorithm lets through how much of what it promises, or of what the
// contract allows where it promises nothing. Both axes are logarithmic, so that a millisecond can be read beside ten
// windows, and an excess is a distance, wherever it stands. What one points at is told in counts.
func scalesPlot(t *curves.Timescale, l *labels) plot {
	low, top := 1.0, 1.0
	for _, c := range t.Curves {
		for _, v := range c.Multiples {
			if v > 0 {
				low, top = min(low, v), max(top, v)
			}
		}
	}
	last := len(t.IntervalUS) - 1
	x := chart.LogTime(float64(t.IntervalUS[0]), float64(t.IntervalUS[last]))
	y := chart.Logarithmic(max(low, leastMultiple), top*1.25, 34, "", report.Short)
	path := func(multiples []float64) string {
		var points []string
		for i, v := range multiples {
			points = append(points, onPlane(x, float64(t.IntervalUS[i]))+" "+onPlane(y, v))
		}
		return "M" + strings.Join(points, "L")
	}
	promise := path(slices.Repeat([]float64{1}, last+1))
	var places []string
	for _, us := range t.IntervalUS {
		places = append(places, "in "+span(us))
	}
	p := plot{Kind: "scales", Caption: "The most let through for one key in any interval, by the interval's length: " +
		"multiples of what the algorithm promises for it, or of what the contract allows where it promises nothing. " +
		"The key has the " + t.Unit, Width: fmt.Sprint(plane), YUnit: t.Unit, ValueHead: "in " + span(t.Limit.WindowUS),
		BoundHead: "promised", Places: strings.Join(places, "|"), Last: last,
		Level: "the promise; the contract allows", Limit: promise, Limits: numbers(t.Allowed),
		Allowed: message.Grouped(t.Allowed[t.Window])}
	if _, name := t.Allows(); name != "limit" {
		p.Level += " the " + name
	}
	var g group
	for _, c := range t.Curves {
		drawn := curve{Path: path(c.Multiples), Values: numbers(c.Values), Most: message.Grouped(c.Top), Top: c.Top}
		if c.Bound != nil {
			drawn.Bound, drawn.Bounds = promise, numbers(c.Bound)
			drawn.Promis = message.Grouped(c.Bound[t.Window])
		}
		g.add(l.of(c.Label), drawn)
	}
	p.Count = g.rest(l.order)
	p.horizontal(x)
	p.scale(y)
	p.Curves = g.sorted()
	return p
}

// numbers are the values of a path's points.
func numbers(values []int64) string { return strings.Trim(fmt.Sprint(values), "[]") }

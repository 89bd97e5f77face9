package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/report"
)

// plane is the size of a logarithmic plot: its coordinates are whole, and finer than any screen.
const plane = 1000

// scaled maps lengths of intervals and counts to the plane. Both axes are logarithmic: from a millisecond to ten
// windows, a limit of a burst and a rate is a line that bends once, and an excess is a distance, wherever it stands.
type scaled struct {
	run  *report.Run
	x, y chart.Axis
	xEnd float64
}

// scalesPlot shows in which lengths of time an algorithm lets through more than the limit, and what it promises.
func scalesPlot(r *report.Run, l *labels) (p plot, ok bool) {
	if r.TimeScales == nil || len(r.TimeScales.IntervalUS) < 2 || len(r.TimeScales.Limit) != len(r.TimeScales.IntervalUS) {
		return plot{}, false
	}
	s := newScaled(r)
	p = plot{Kind: "scales", Caption: "The most admitted for one key in any interval, by the interval's length, in " + unitOf(r),
		Width: fmt.Sprint(plane), High: fmt.Sprint(plane), Last: len(r.TimeScales.IntervalUS) - 1, YUnit: unitOf(r),
		ValueHead: "in " + span(r.Limit.WindowUS), BoundHead: "promised", Places: s.places(),
		Limit: s.path(r.TimeScales.Limit), Limits: numbers(r.TimeScales.Limit), Allowed: chart.Exact(r.TimeScales.Limit[s.window()])}
	var g group
	for i := range r.Results {
		row := &r.Results[i]
		if len(row.MostAdmitted) == len(r.TimeScales.IntervalUS) {
			g.add(l.of(row.Algorithm), s.curve(row))
		}
	}
	if len(g.curves) == 0 {
		return plot{}, false
	}
	p.horizontal(chart.Axis{Share: func(us float64) float64 { return s.x.Share(us) / s.xEnd }, Ticks: s.x.Ticks})
	for _, t := range s.y.Ticks(plotHeight) {
		at := math.Round(plane * s.y.Share(t.At))
		p.YTicks = append(p.YTicks, tick{percentFrom(1 - at/plane), t.Label})
		p.Grid += fmt.Sprintf("M0 %vH%d", at, plane)
	}
	p.Curves = g.sorted()
	return p, true
}

func unitOf(r *report.Run) string {
	if r.HasCosts() {
		return "permits"
	}
	return "requests"
}

func newScaled(r *report.Run) *scaled {
	intervals := r.TimeScales.IntervalUS
	top := slices.Max(r.TimeScales.Limit)
	for i := range r.Results {
		if len(r.Results[i].MostAdmitted) > 0 {
			top = max(top, slices.Max(r.Results[i].MostAdmitted))
		}
	}
	last := float64(intervals[len(intervals)-1])
	s := &scaled{run: r,
		x: chart.Logarithmic(float64(intervals[0]), last, 70, "", chart.Span),
		y: chart.Logarithmic(1, float64(max(top, 1)), 34, "", chart.Short)}
	s.xEnd = s.x.Share(last)
	return s
}

func (s *scaled) places() string {
	var list []string
	for _, us := range s.run.TimeScales.IntervalUS {
		list = append(list, "in "+span(us))
	}
	return strings.Join(list, "|")
}

// path goes through the values, one for each interval.
func (s *scaled) path(values []int64) string {
	var out strings.Builder
	for i, v := range values {
		x := plane * s.x.Share(float64(s.run.TimeScales.IntervalUS[i])) / s.xEnd
		y := plane * min(s.y.Share(float64(v)), 2) // a bound may be far beyond what happened
		fmt.Fprintf(&out, "%s%.0f %.0f", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	return out.String()
}

// window is the place of the limit's window among the intervals, or the last.
func (s *scaled) window() int {
	if i := slices.Index(s.run.TimeScales.IntervalUS, s.run.Limit.WindowUS); i >= 0 {
		return i
	}
	return len(s.run.TimeScales.IntervalUS) - 1
}

func (s *scaled) curve(row *report.Row) curve {
	window := s.window()
	c := curve{Path: s.path(row.MostAdmitted), Values: numbers(row.MostAdmitted), Top: row.MostAdmitted[window]}
	c.Most = chart.Exact(c.Top)
	if len(row.Bound) == len(row.MostAdmitted) {
		c.Bound, c.Bounds, c.Promis = s.path(row.Bound), numbers(row.Bound), chart.Exact(row.Bound[window])
	}
	return c
}

// numbers are the values of a path's points.
func numbers(values []int64) string { return strings.Trim(fmt.Sprint(values), "[]") }

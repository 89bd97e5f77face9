package page

import (
	"fmt"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/report"
)

// mostPlaces is how many places a time axis has: enough for the eye, and few enough that a page of many scenarios
// stays small. A series has up to twice as many buckets; two are joined then.
const mostPlaces = 256

// course is the series of one run, joined to the places of the time axis.
type course struct {
	in     curves.Input
	join   int // buckets to a place
	places int
	l      *labels
}

func newCourse(in curves.Input, l *labels) course {
	n := len(in.Reference.Rolling)
	join := (n + mostPlaces - 1) / mostPlaces
	return course{in: in, join: max(join, 1), places: (n + join - 1) / max(join, 1), l: l}
}

// windowPlot is the chart on which an overshoot is seen.
func (c course) windowPlot() plot {
	window := chart.Each(float64(c.in.Run.Limit.WindowUS))
	caption := "Admitted in the last " + window
	if c.in.Run.Keys > 1 {
		caption += ", by the key that had most"
	}
	p := c.begin("window", caption)
	p.ValueHead = "highest"
	var g group
	for _, panel := range c.panels() {
		values := c.highest(panel.Series.Rolling)
		g.add(c.l.of(panel.Label), curveOf(values, maximum(values)))
	}
	limit := c.in.Run.Limit.Requests
	high := p.vertical(float64(max(g.top(), limit)), c.unit())
	p.Limit, p.Allowed = fmt.Sprintf("M0 %dH%d", limit, c.places), chart.Exact(limit)
	p.Excess = fmt.Sprintf("M0 %dH%dV%s H0Z", limit, c.places, number(high))
	p.Curves = g.sorted()
	return p
}

// cumulativePlot shows where an algorithm and the exact limit part, and whether they meet again.
func (c course) cumulativePlot() plot {
	p := c.begin("cumulative", "Admitted so far")
	p.ValueHead = "in the end"
	var g group
	for _, panel := range c.panels() {
		values := c.soFar(panel.Series.Admitted)
		g.add(c.l.of(panel.Label), curveOf(values, values[len(values)-1]))
	}
	p.vertical(float64(g.top()), c.unit())
	p.Curves = g.sorted()
	return p
}

func curveOf(values []int64, top int64) curve {
	return curve{Path: steps(values), Most: chart.Exact(top), Top: top}
}

// begin is a plot over time, without curves.
func (c course) begin(kind, caption string) plot {
	width := c.in.Reference.BucketUS * int64(c.join)
	spanUS := float64(width) * float64(c.places)
	unit := chart.NaturalUnit(spanUS)
	p := plot{Kind: kind, Caption: caption + ", in " + c.unit(), Width: fmt.Sprint(c.places), Last: c.places - 1,
		Step: number(float64(width) / unit), Unit: number(unit), UnitName: unitName(unit)}
	p.horizontal(chart.Time(spanUS))
	return p
}

// unitName is how a unit of so many µs is written.
func unitName(us float64) string {
	text := chart.Span(us)
	return text[len("1 "):]
}

func (c course) unit() string {
	if c.in.Run.HasCosts() {
		return "permits"
	}
	return "requests"
}

// panels are the algorithms whose buckets are those of the reference, and the reference as the last.
func (c course) panels() []curves.Lane {
	var all []curves.Lane
	for _, p := range c.in.Algorithms {
		if p.Series.BucketUS == c.in.Reference.BucketUS && len(p.Series.Rolling) == len(c.in.Reference.Rolling) {
			all = append(all, p)
		}
	}
	return append(all, curves.Lane{Label: report.ReferenceLabel, Series: c.in.Reference})
}

// highest keeps the peak of what is joined.
func (c course) highest(buckets []int64) []int64 {
	values := make([]int64, c.places)
	for i, v := range buckets {
		values[i/c.join] = max(values[i/c.join], v)
	}
	return values
}

// soFar is the sum at the end of each place.
func (c course) soFar(buckets []int64) []int64 {
	values := make([]int64, c.places)
	var sum int64
	for i, v := range buckets {
		sum += v
		values[i/c.join] = sum
	}
	return values
}

func maximum(values []int64) int64 {
	var top int64
	for _, v := range values {
		top = max(top, v)
	}
	return top
}

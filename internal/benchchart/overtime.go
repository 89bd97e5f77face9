package benchchart

import (
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// overTime shows when a decision is slow: a burst queues, and an average over the whole run hides it.
func (s *scene) overTime(i int, run *benchresult.Play) (chart.Picture, bool) {
	name := s.latencyName(i, run, "latency-time")
	courses := coursesOf(run)
	e := extentOf(courses)
	if e.high == 0 {
		s.leave(name, "no interval was measured")
		return chart.Picture{}, false
	}
	m := chart.Multiples{Horizontal: chart.Time(e.spanUS),
		Vertical: chart.Logarithmic(e.low, e.high, 26, "latency, logarithmic", us)}
	for _, c := range courses {
		m.Panels = append(m.Panels, chart.Panel{Label: c.label, Color: chart.Color(c.label), Fact: c.fact(),
			Draw: func(a *chart.Axes) { drawCourse(a, c, e.perS) }})
	}
	of := s.results[i : i+1]
	p := page("When is a decision slow?",
		fmt.Sprintf("Response time under %s: limit %s, %s.", run.Scenario, policy(run.Limit), connections(of)), of, run)
	p = figure(p, courseKeys(e.perS), m.Height(), m.Draw)
	return chart.Picture{Name: name, Page: p, Data: s.overTimeData(i, run)}, true
}

// fact is the worst interval's p99.
func (c course) fact() string {
	var worst moment
	for _, m := range c.moments {
		if m.p99US > worst.p99US {
			worst = m
		}
	}
	if worst.requests == 0 {
		return "no requests"
	}
	if worst.startUS == 0 {
		return "worst p99 " + us(worst.p99US) + ", at the start"
	}
	return "worst p99 " + us(worst.p99US) + ", at " + us(worst.startUS)
}

// rateShare is how much of a panel's height the highest offered rate takes: it stays behind.
const rateShare = 0.35

// drawCourse draws the offered rate and over it the latencies. Where there were no requests the lines have a gap.
func drawCourse(a *chart.Axes, c course, mostPerS float64) {
	color := chart.Color(c.label)
	for _, stretch := range stretches(c.moments) {
		var rate []chart.Point
		for _, m := range stretch {
			y := a.Bottom - rateShare*(a.Bottom-a.Top)*c.perS(m)/mostPerS
			rate = append(rate, chart.At(a.X(m.startUS), y), chart.At(a.X(m.startUS+m.widthUS), y))
		}
		a.Pen.Fill(a.ToBase(rate), chart.Offered)
		upper := steps(a, stretch, func(m moment) float64 { return m.p99US })
		lower := steps(a, stretch, func(m moment) float64 { return m.p50US })
		area := append([]chart.Point{}, upper...)
		for i := len(lower) - 1; i >= 0; i-- {
			area = append(area, lower[i])
		}
		a.Pen.Fill(area, chart.Paper)
		a.Pen.Fill(area, chart.Tint(color, 0.3))
		a.Pen.Stroke(upper, color, 1)
		a.Pen.Stroke(lower, color, 1.9)
	}
}

// steps holds each moment's value over its whole width.
func steps(a *chart.Axes, moments []moment, value func(moment) float64) []chart.Point {
	var points []chart.Point
	for _, m := range moments {
		points = append(points, a.At(m.startUS, value(m)), a.At(m.startUS+m.widthUS, value(m)))
	}
	return points
}

func courseKeys(mostPerS float64) []chart.Key {
	return []chart.Key{
		chart.LineKey("p50 of the interval", chart.Ink, 1.9),
		chart.LineKey("p99 of the interval", chart.Ink, 1),
		chart.AreaKey(fmt.Sprintf("offered requests, at most %s per second", chart.Short(roundTo(mostPerS, 0))),
			chart.Offered),
	}
}

// overTimeData keeps every interval, and the control.
func (s *scene) overTimeData(i int, run *benchresult.Play) []byte {
	t := newTable("server", "algorithm", "start_us", "width_us", "requests", "response_us_p50", "response_us_p99")
	for _, row := range run.Rows {
		for k := range row.Open.Intervals {
			m := momentsOf(row.Open.Intervals[k : k+1])[0]
			if m.requests > 0 {
				t.add(s.names[i], row.Algorithm, m.startUS, m.widthUS, m.requests, m.p50US, m.p99US)
			}
		}
	}
	return t.bytes()
}

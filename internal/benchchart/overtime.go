package benchchart

import (
	"fmt"

	"ratelab/internal/drawing"
	"ratelab/internal/recording"
)

// moment is an interval of a scenario's time, accepted and rejected together.
type moment struct {
	startUS, widthUS float64
	requests         int64 // over all rounds
	p50US, p99US     float64
}

// mostMoments is how many intervals a panel can show; more are joined.
const mostMoments = 120

func momentsOf(intervals []recording.Interval) []moment {
	join := (len(intervals) + mostMoments - 1) / mostMoments
	var all []moment
	for start := 0; start < len(intervals); start += join {
		part := intervals[start:min(start+join, len(intervals))]
		merged := recording.NewHistogram()
		m := moment{startUS: float64(part[0].StartUS)}
		for _, interval := range part {
			merged.Merge(interval.Latency.Accepted.Response.Histogram)
			merged.Merge(interval.Latency.Rejected.Response.Histogram)
			m.widthUS += float64(interval.WidthUS)
		}
		if m.requests = merged.TotalCount(); m.requests > 0 {
			m.p50US, m.p99US = float64(merged.ValueAtPercentile(50)), float64(merged.ValueAtPercentile(99))
		}
		all = append(all, m)
	}
	return all
}

// course is one algorithm's way through a scenario.
type course struct {
	label   string
	rounds  int
	moments []moment
}

// perS is the requests per second of one round.
func (c course) perS(m moment) float64 {
	return float64(m.requests) / float64(max(c.rounds, 1)) / m.widthUS * 1e6
}

// overTime shows when a decision is slow: a burst queues, and an average over the whole run hides it.
func (s *scene) overTime(i int, run *recording.Run) (drawing.Picture, bool) {
	name := s.latencyName(i, run, "latency-time")
	courses := coursesOf(run)
	e := extentOf(courses)
	if e.high == 0 {
		s.leave(name, "no interval was measured")
		return drawing.Picture{}, false
	}
	m := drawing.Multiples{Horizontal: drawing.Time(e.spanUS), Vertical: drawing.Logarithmic(e.low, e.high, 26, "latency, logarithmic", us)}
	for _, c := range courses {
		m.Panels = append(m.Panels, drawing.Panel{Label: c.label, Color: drawing.Color(c.label), Fact: c.fact(),
			Draw: func(a *drawing.Axes) { drawCourse(a, c, e.perS) }})
	}
	of := s.recordings[i : i+1]
	p := page("When is a decision slow?",
		fmt.Sprintf("Response time under %s: limit %s, %s.", run.Scenario, policy(run.Limit), connections(of)), of, run)
	p = figure(p, courseKeys(e.perS), m.Height(), m.Draw)
	return drawing.Picture{Name: name, Page: p, Data: s.overTimeData(i, run)}, true
}

// coursesOf leaves out the control: its latencies are in the distributions.
func coursesOf(run *recording.Run) []course {
	var all []course
	for _, row := range run.Rows {
		if row.Algorithm != control || len(run.Rows) == 1 {
			all = append(all, course{row.Algorithm, len(row.Rounds), momentsOf(row.Open.Intervals)})
		}
	}
	return all
}

// extent is what the panels' axes have to hold.
type extent struct{ low, high, spanUS, perS float64 }

func extentOf(courses []course) extent {
	var e extent
	for _, c := range courses {
		for _, m := range c.moments {
			e.spanUS = max(e.spanUS, m.startUS+m.widthUS)
			e.perS = max(e.perS, c.perS(m))
			if m.requests == 0 {
				continue
			}
			if e.low == 0 || m.p50US < e.low {
				e.low = m.p50US
			}
			e.high = max(e.high, m.p99US)
		}
	}
	e.low = max(e.low, recording.LowestUS)
	return e
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
func drawCourse(a *drawing.Axes, c course, mostPerS float64) {
	color := drawing.Color(c.label)
	for _, stretch := range stretches(c.moments) {
		var rate []drawing.Point
		for _, m := range stretch {
			y := a.Bottom - rateShare*(a.Bottom-a.Top)*c.perS(m)/mostPerS
			rate = append(rate, drawing.At(a.X(m.startUS), y), drawing.At(a.X(m.startUS+m.widthUS), y))
		}
		a.Pen.Fill(a.ToBase(rate), drawing.Offered)
		upper := steps(a, stretch, func(m moment) float64 { return m.p99US })
		lower := steps(a, stretch, func(m moment) float64 { return m.p50US })
		area := append([]drawing.Point{}, upper...)
		for i := len(lower) - 1; i >= 0; i-- {
			area = append(area, lower[i])
		}
		a.Pen.Fill(area, drawing.Paper)
		a.Pen.Fill(area, drawing.Tint(color, 0.3))
		a.Pen.Stroke(upper, color, 1)
		a.Pen.Stroke(lower, color, 1.9)
	}
}

// stretches are the moments with requests, split where there were none.
func stretches(moments []moment) [][]moment {
	var all [][]moment
	open := false
	for _, m := range moments {
		switch {
		case m.requests == 0:
			open = false
		case open:
			all[len(all)-1] = append(all[len(all)-1], m)
		default:
			all, open = append(all, []moment{m}), true
		}
	}
	return all
}

// steps holds each moment's value over its whole width.
func steps(a *drawing.Axes, moments []moment, value func(moment) float64) []drawing.Point {
	var points []drawing.Point
	for _, m := range moments {
		points = append(points, a.At(m.startUS, value(m)), a.At(m.startUS+m.widthUS, value(m)))
	}
	return points
}

func courseKeys(mostPerS float64) []drawing.Key {
	return []drawing.Key{
		drawing.LineKey("p50 of the interval", drawing.Ink, 1.9),
		drawing.LineKey("p99 of the interval", drawing.Ink, 1),
		drawing.AreaKey(fmt.Sprintf("offered requests, at most %s per second", drawing.Short(roundTo(mostPerS, 0))), drawing.Offered),
	}
}

// overTimeData keeps every interval, and the control.
func (s *scene) overTimeData(i int, run *recording.Run) []byte {
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

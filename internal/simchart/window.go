package simchart

import (
	"fmt"

	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

// windowFigure is the picture on which an overshoot is seen: the admitted sum of the window that ends at each
// moment, with the limit across it.
func (s *scene) windowFigure() *figure {
	unit := s.unit + " in the last " + s.window()
	subject := "Admitted in the last " + s.window()
	if s.in.Run.Keys > 1 {
		subject += ", by the key that had most"
	}
	f := s.figure("window",
		fmt.Sprintf("%s, in %s. Dashed: the limit. Grey line: the exact reference. Limit %s.", subject, s.unit, s.policy()), unit)
	f.top = max(float64(s.in.Run.Limit.Requests), maximum(s.reference.rolling))
	for i, c := range s.courses {
		f.top = max(f.top, maximum(c.rolling))
		f.panels = append(f.panels, chart.Panel{Label: c.label, Color: c.color, Fact: s.windowFact(c), Draw: func(a *chart.Axes) { s.drawWindow(axes{a}, c, i == 0) }})
	}
	columns := s.columns(s.in.Traffic.Offered, func(p Panel) []int64 { return p.Series.Rolling })
	columns = append(columns, dataColumn{"limit", constant(s.in.Run.Limit.Requests, len(s.in.Traffic.Offered))})
	f.data = dataCSV(s.in.Traffic.BucketUS, columns)
	return f
}

func (s *scene) windowFact(c course) string {
	limit := s.in.Run.Limit.Requests
	if c.peak <= limit {
		return "within the limit"
	}
	return sheet.Times(float64(c.peak)/float64(limit)) + " × the limit"
}

func (s *scene) drawWindow(a axes, c course, first bool) {
	limit := float64(s.in.Run.Limit.Requests)
	line := a.profile(c.rolling, s.binUS)
	a.Pen.Fill(a.ToBase(line), chart.Tint(c.color, 0.16))
	if float64(c.peak) > limit {
		over := make([]float64, len(c.rolling))
		for i, v := range c.rolling {
			over[i] = max(v, limit)
		}
		a.Pen.Fill(a.closedAt(a.profile(over, s.binUS), limit), chart.Tint(c.color, 0.45))
	}
	exactly := a.profile(s.reference.rolling, s.binUS)
	a.Pen.Stroke(exactly, chart.Reference, 1)
	level := a.Level(limit)
	a.Pen.Stroke(level, chart.Ink, 0.9, 4, 3)
	a.Pen.Stroke(line, c.color, 1.5)
	a.Avoid(line, exactly, level)
	s.labelPeak(a, c)
	if first {
		text := "limit " + chart.Exact(s.in.Run.Limit.Requests)
		a.Place(text, chart.SmallLetters, a.AlongLine(a.Y(limit), chart.SmallLetters.Width(text)))
	}
}

// labelPeak marks the first moment of the highest sum with its figure.
func (s *scene) labelPeak(a axes, c course) {
	if c.peak == 0 {
		a.Place("nothing admitted", chart.SmallLetters, a.AlongLine(a.Y(0), chart.SmallLetters.Width("nothing admitted")))
		return
	}
	for i, v := range c.rolling {
		if v != float64(c.peak) {
			continue
		}
		q := chart.At(a.binMiddle(i, s.binUS), a.Y(v))
		a.Pen.Dot(q, 2.6, c.color)
		text := chart.Exact(c.peak)
		a.Place(text, chart.FigureLetters, a.Around(q, chart.FigureLetters.Width(text)))
		return
	}
}

package simchart

import (
	"fmt"

	"ratelab/internal/chart"
)

// cumulativeFigure shows where an algorithm and the exact limit part, and whether they meet again.
func (s *scene) cumulativeFigure() *figure {
	unit := s.unit + " so far"
	f := s.figure("cumulative",
		fmt.Sprintf("Admitted so far, in %s, against the exact reference (grey line). Shaded: the difference. Limit %s.", s.unit, s.policy()), unit)
	f.top = float64(s.reference.total)
	for _, c := range s.courses {
		f.top = max(f.top, float64(c.total))
		f.panels = append(f.panels, chart.Panel{Label: c.label, Color: c.color, Fact: s.cumulativeFact(c), Draw: func(a *chart.Axes) { s.drawCumulative(axes{a}, c) }})
	}
	f.data = dataCSV(s.in.Traffic.BucketUS,
		s.columns(cumulated(s.in.Traffic.Offered), func(p Panel) []int64 { return cumulated(p.Series.Admitted) }))
	return f
}

func (s *scene) cumulativeFact(c course) string {
	switch d := c.total - s.reference.total; {
	case d > 0:
		return chart.Exact(d) + " more than exact"
	case d < 0:
		return chart.Exact(-d) + " fewer than exact"
	}
	return "as many as exact"
}

func (s *scene) drawCumulative(a axes, c course) {
	ideal := a.rise(runningSum(s.reference.admitted), s.binUS)
	line := a.rise(runningSum(c.admitted), s.binUS)
	a.Pen.Fill(between(line, ideal), chart.Tint(c.color, 0.22))
	a.Pen.Stroke(ideal, chart.Reference, 1.3)
	a.Pen.Stroke(line, c.color, 1.6)
	a.Avoid(line, ideal)
	end, above := line[len(line)-1], c.total >= s.reference.total
	text := chart.Exact(c.total)
	a.Place(text, chart.FigureLetters, a.AtEnd(end, chart.FigureLetters.Width(text), above))
	if s.reference.total != c.total {
		text := "exact " + chart.Exact(s.reference.total)
		a.Place(text, chart.SmallLetters, a.AtEnd(ideal[len(ideal)-1], chart.SmallLetters.Width(text), !above))
	}
}

// between closes the area between two lines over the same time.
func between(one, other []chart.Point) []chart.Point {
	area := append([]chart.Point{}, one...)
	for i := len(other) - 1; i >= 0; i-- {
		area = append(area, other[i])
	}
	return area
}

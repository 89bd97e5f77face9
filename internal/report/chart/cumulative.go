package chart

import "fmt"

// cumulativeFigure shows where an algorithm and the exact limit part, and whether they meet again.
func (s *scene) cumulativeFigure() *figure {
	unit := s.unit + " so far"
	f := s.figure("cumulative",
		fmt.Sprintf("Admitted so far, in %s, against the exact reference (grey line). Shaded: the difference. Limit %s.", s.unit, s.policy()), unit)
	f.top = float64(s.reference.total)
	for _, c := range s.courses {
		f.top = max(f.top, float64(c.total))
		f.panels = append(f.panels, panel{c.label, c.color, s.cumulativeFact(c), func(a *axes) { s.drawCumulative(a, c) }})
	}
	f.data = dataCSV(s.in.Traffic.BucketUS,
		s.columns(cumulated(s.in.Traffic.Offered), func(p Panel) []int64 { return cumulated(p.Series.Admitted) }))
	return f
}

func (s *scene) cumulativeFact(c course) string {
	switch d := c.total - s.reference.total; {
	case d > 0:
		return exact(d) + " more than exact"
	case d < 0:
		return exact(-d) + " fewer than exact"
	}
	return "as many as exact"
}

func (s *scene) drawCumulative(a *axes, c course) {
	ideal := a.rise(runningSum(s.reference.admitted), s.binUS)
	line := a.rise(runningSum(c.admitted), s.binUS)
	a.pen.fill(between(line, ideal), tint(c.color, 0.22))
	a.pen.stroke(ideal, reference, 1.3)
	a.pen.stroke(line, c.color, 1.6)
	a.avoid(line, ideal)
	end, above := line[len(line)-1], c.total >= s.reference.total
	text := exact(c.total)
	a.place(text, figureLetters, a.atEnd(end, figureLetters.width(text), above))
	if s.reference.total != c.total {
		text := "exact " + exact(s.reference.total)
		a.place(text, smallLetters, a.atEnd(ideal[len(ideal)-1], smallLetters.width(text), !above))
	}
}

// between closes the area between two lines over the same time.
func between(one, other []point) []point {
	area := append([]point{}, one...)
	for i := len(other) - 1; i >= 0; i-- {
		area = append(area, other[i])
	}
	return area
}

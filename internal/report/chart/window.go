package chart

import (
	"fmt"

	"gonum.org/v1/plot/vg"
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
		f.panels = append(f.panels, panel{c.label, c.color, s.windowFact(c), func(a *axes) { s.drawWindow(a, c, i == 0) }})
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
	return fmt.Sprintf("%.2f × the limit", float64(c.peak)/float64(limit))
}

func (s *scene) drawWindow(a *axes, c course, first bool) {
	limit := float64(s.in.Run.Limit.Requests)
	line := a.profile(c.rolling, s.binUS)
	a.pen.fill(a.toBase(line), tint(c.color, 0.16))
	if float64(c.peak) > limit {
		over := make([]float64, len(c.rolling))
		for i, v := range c.rolling {
			over[i] = max(v, limit)
		}
		a.pen.fill(a.closedAt(a.profile(over, s.binUS), limit), tint(c.color, 0.45))
	}
	exactly := a.profile(s.reference.rolling, s.binUS)
	a.pen.stroke(exactly, reference, 1)
	level := []point{{a.left, a.y(limit)}, {a.right, a.y(limit)}}
	a.pen.stroke(level, ink, 0.9, vg.Length(4), vg.Length(3))
	a.pen.stroke(line, c.color, 1.5)
	a.avoid(line, exactly, level)
	s.labelPeak(a, c)
	if first {
		text := "limit " + exact(s.in.Run.Limit.Requests)
		a.place(text, smallLetters, a.alongLine(a.y(limit), smallLetters.width(text)))
	}
}

// labelPeak marks the first moment of the highest sum with its figure.
func (s *scene) labelPeak(a *axes, c course) {
	if c.peak == 0 {
		a.place("nothing admitted", smallLetters, a.alongLine(a.y(0), smallLetters.width("nothing admitted")))
		return
	}
	for i, v := range c.rolling {
		if v != float64(c.peak) {
			continue
		}
		q := point{a.binMiddle(i, s.binUS), a.y(v)}
		a.pen.dot(q, 2.6, c.color)
		text := exact(c.peak)
		a.place(text, figureLetters, a.around(q, figureLetters.width(text)))
		return
	}
}

package chart

import (
	"fmt"

	"ratelab/internal/drawing"
)

// admittedFigure shows what became of the traffic as it came: what stays grey was rejected.
func (s *scene) admittedFigure() *figure {
	per := s.unit + " per " + drawing.Each(s.rateBinUS)
	f := s.figure("admitted",
		fmt.Sprintf("Offered (grey) and admitted (colour), %s. Limit %s.", per, s.policy()), per)
	f.top = maximum(s.offered)
	for i, c := range s.courses {
		f.panels = append(f.panels, drawing.Panel{Label: c.label, Color: c.color, Fact: s.admittedFact(c), Draw: func(a *drawing.Axes) { s.drawAdmitted(axes{a}, c, i == 0) }})
	}
	f.data = dataCSV(s.in.Traffic.BucketUS,
		s.columns(s.in.Traffic.Offered, func(p Panel) []int64 { return p.Series.Admitted }))
	return f
}

func (s *scene) admittedFact(c course) string {
	total := int64(0)
	for _, v := range s.in.Traffic.Offered {
		total += v
	}
	return fmt.Sprintf("%s of %s admitted", drawing.Exact(c.total), drawing.Exact(total))
}

func (s *scene) drawAdmitted(a axes, c course, labelled bool) {
	all := a.steps(s.offered, s.rateBinUS)
	a.Pen.Fill(a.ToBase(all), drawing.Offered)
	line := a.steps(c.rate, s.rateBinUS)
	a.Pen.Fill(a.ToBase(line), drawing.Tint(c.color, 0.55))
	a.Pen.Stroke(line, c.color, 1.1)
	a.Avoid(all)
	if labelled {
		a.Place("offered", drawing.SmallLetters, a.AlongTop(all, drawing.SmallLetters.Width("offered")))
	}
}

package simchart

import (
	"fmt"

	"ratelab/internal/chart"
)

// admittedFigure shows what became of the traffic as it came: what stays grey was rejected.
func (s *scene) admittedFigure() *figure {
	per := s.unit + " per " + chart.Each(s.rateBinUS)
	f := s.figure("admitted",
		fmt.Sprintf("Offered (grey) and admitted (colour), %s. Limit %s.", per, s.policy()), per)
	for i, c := range s.courses {
		f.top = max(f.top, maximum(c.offered))
		f.panels = append(f.panels, chart.Panel{Label: c.label, Color: c.color, Fact: admittedFact(c), Draw: func(a *chart.Axes) { s.drawAdmitted(axes{a}, c, i == 0) }})
	}
	columns := s.columns(s.in.Traffic.Offered, func(p Panel) []int64 { return p.Series.Admitted })
	for _, p := range s.in.Algorithms {
		if p.Traffic != nil {
			columns = append(columns, dataColumn{"offered to " + p.Label, p.Traffic.Offered})
		}
	}
	f.data = dataCSV(s.in.Traffic.BucketUS, columns)
	return f
}

func admittedFact(c course) string {
	return fmt.Sprintf("%s of %s admitted", chart.Exact(c.total), chart.Exact(c.offeredSum))
}

func (s *scene) drawAdmitted(a axes, c course, labelled bool) {
	all := a.steps(c.offered, s.rateBinUS)
	a.Pen.Fill(a.ToBase(all), chart.Offered)
	line := a.steps(c.rate, s.rateBinUS)
	a.Pen.Fill(a.ToBase(line), chart.Tint(c.color, 0.55))
	a.Pen.Stroke(line, c.color, 1.1)
	a.Avoid(all)
	if labelled {
		a.Place("offered", chart.SmallLetters, a.AlongTop(all, chart.SmallLetters.Width("offered")))
	}
}

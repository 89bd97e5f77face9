package chart

import "fmt"

// admittedFigure shows what became of the traffic as it came: what stays grey was rejected.
func (s *scene) admittedFigure() *figure {
	per := s.unit + " per " + each(s.rateBinUS)
	f := s.figure("admitted",
		fmt.Sprintf("Offered (grey) and admitted (colour), %s. Limit %s.", per, s.policy()), per)
	f.top = maximum(s.offered)
	for i, c := range s.courses {
		f.panels = append(f.panels, panel{c.label, c.color, s.admittedFact(c), func(a *axes) { s.drawAdmitted(a, c, i == 0) }})
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
	return fmt.Sprintf("%s of %s admitted", exact(c.total), exact(total))
}

func (s *scene) drawAdmitted(a *axes, c course, labelled bool) {
	all := a.steps(s.offered, s.rateBinUS)
	a.pen.fill(a.toBase(all), offered)
	line := a.steps(c.rate, s.rateBinUS)
	a.pen.fill(a.toBase(line), tint(c.color, 0.55))
	a.pen.stroke(line, c.color, 1.1)
	a.avoid(all)
	if labelled {
		a.place("offered", smallLetters, a.alongTop(all, smallLetters.width("offered")))
	}
}

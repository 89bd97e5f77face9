package simchart

import (
	"fmt"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// flowFigure shows what became of the traffic as it came: what stays grey was rejected.
func flowFigure(in curves.Input, t curves.Timeline) figure {
	per := t.Unit + " per " + chart.Each(float64(t.BinUS))
	f := overTime(in, t, per, fmt.Sprintf("Offered (grey) and let through (colour), %s.", per))
	f.draw = func(a axes, c curves.Curve) { a.drawLetThrough(c, t.BinUS) }
	return f
}

func (a axes) drawLetThrough(c curves.Curve, binUS int64) {
	all := a.steps(c.Offered, binUS)
	a.Pen.Fill(a.ToBase(all), chart.Offered)
	line := a.steps(c.Values, binUS)
	a.Pen.Fill(a.ToBase(line), chart.Tint(a.color, 0.55))
	a.Pen.Stroke(line, a.color, 1.1)
	a.Avoid(all)
	switch {
	case c.Top > a.top:
		text := "offered up to " + chart.Exact(c.Top)
		a.Place(text, chart.SmallLetters, a.AlongTop(all, chart.SmallLetters.Width(text)))
	case a.first:
		a.Place("offered", chart.SmallLetters, a.AlongTop(all, chart.SmallLetters.Width("offered")))
	}
}

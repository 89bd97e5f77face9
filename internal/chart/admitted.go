package chart

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// admitted shows over time which part of the offered traffic was admitted; the rest, in grey, was rejected.
func admitted(in curves.Input, t curves.Timeline) *Figure {
	per := t.Unit + " per " + report.Each(t.BinUS)
	return timeFigure(in, t, per, fmt.Sprintf("Offered (grey) and admitted (colour), %s.", per), 0,
		func(p *panel, b bins, c curves.Curve) {
			offered := steps(b, c.Offered)
			p.flow(offered, steps(b, c.Values))
			switch {
			case float64(c.Top) > b.top:
				p.label("offered up to "+message.Grouped(c.Top), smallLetters, summit(offered))
			case p.first:
				p.label("offered", smallLetters, summit(offered))
			}
		})
}

// flow draws what was admitted in front of what was offered.
func (p *panel) flow(offered, admitted plotter.XYs) {
	p.fill(offered, Offered)
	p.fill(admitted, tint(p.color, 0.55))
	p.line(admitted, p.color, 1.1)
	p.lines = append(p.lines, offered)
}

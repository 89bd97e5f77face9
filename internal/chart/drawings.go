package chart

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// drawings maps the kinds of charts over time to the functions that draw them.
var drawings = map[curves.Drawing]func(curves.Input, curves.Timeline) *Figure{
	curves.Flow: admitted, curves.Level: window, curves.Sum: cumulative, curves.Wait: delay,
}

// admitted shows the admitted part of the offered traffic over time. The rest, in grey, was rejected.
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

// flow draws the admitted traffic in front of the offered traffic.
func (p *panel) flow(offered, admitted plotter.XYs) {
	p.fill(offered, Offered)
	p.fill(admitted, tint(p.color, 0.55))
	p.line(admitted, p.color, 1.1)
	p.lines = append(p.lines, offered)
}

// window shows whether the limit held: the cost admitted in the window that ends at each moment, and the limit.
func window(in curves.Input, t curves.Timeline) *Figure {
	allowed, name := t.Allows()
	exact, words := reference(t.Reference, " Grey line: the exact reference.")
	unit := t.Unit + " in the last " + report.Each(t.Limit.WindowUS)
	if t.Limit.Contract == limit.ByFlight {
		unit = t.Unit + " in flight"
	}
	return timeFigure(in, t, unit,
		t.Caption+". Dashed: the "+name+"."+words, max(allowed, exact),
		func(p *panel, b bins, c curves.Curve) {
			p.overshoot(b, c, float64(allowed), t.Reference)
			p.peak(b, c, "", "nothing admitted")
			if p.first {
				p.label(name+" "+message.Grouped(allowed), smallLetters, along(b, float64(allowed))...)
			}
		})
}

// overshoot draws a sum and the limit, and the area above the limit in a deeper colour.
func (p *panel) overshoot(b bins, c curves.Curve, allowed float64, exact *curves.Curve) {
	line := slopes(b, c.Values)
	limit := level(line, allowed)
	p.fill(line, tint(p.color, 0.16))
	if float64(c.Top) > allowed {
		over := slices.Clone(line)
		for i := range over {
			over[i].Y = max(over[i].Y, allowed)
		}
		p.area(over, limit, tint(p.color, 0.45))
	}
	if exact != nil {
		p.line(slopes(b, exact.Values), Reference, 1)
	}
	p.line(limit, Ink, 0.9, limitDashes...)
	p.line(line, p.color, 1.5)
}

// cumulative shows the running total of a limiter's admitted cost, and its distance from the exact reference's.
func cumulative(in curves.Input, t curves.Timeline) *Figure {
	exact, words := reference(t.Reference, ", against the exact reference (grey line). Shaded: the difference")
	return timeFigure(in, t, t.Unit+" so far", t.Caption+words+".", exact, func(p *panel, b bins, c curves.Curve) {
		line := sums(b, c.Values)
		ends := label{text: message.Grouped(c.Top), style: figureLetters, near: line[len(line)-1:]}
		if t.Reference == nil {
			p.fill(line, tint(p.color, 0.16))
			p.line(line, p.color, 1.6)
			p.labels = append(p.labels, ends)
			return
		}
		ideal := sums(b, t.Reference.Values)
		p.area(line, ideal, tint(p.color, 0.22))
		p.line(ideal, Reference, 1.3)
		p.line(line, p.color, 1.6)
		ends.below = c.Top < exact
		p.labels = append(p.labels, ends)
		if c.Top != exact {
			p.labels = append(p.labels, label{text: "exact " + message.Grouped(exact), style: smallLetters,
				near: ideal[len(ideal)-1:], below: !ends.below})
		}
	})
}

// delay shows how long a shaper's admitted requests wait.
func delay(in curves.Input, t curves.Timeline) *Figure {
	return timeFigure(in, t, t.Unit, t.Caption+".", 0, func(p *panel, b bins, c curves.Curve) {
		line := slopes(b, c.Values)
		p.fill(line, tint(p.color, 0.16))
		p.line(line, p.color, 1.5)
		p.peak(b, c, "", "nothing admitted")
	})
}

// reference returns the top of a curve and the words, or 0 and "" if there is no curve.
func reference(c *curves.Curve, words string) (top int64, text string) {
	if c == nil {
		return 0, ""
	}
	return c.Top, words
}

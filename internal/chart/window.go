package chart

import (
	"slices"

	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// window shows whether the limit held: the cost admitted in the window that ends at each moment, and the limit.
func window(in curves.Input, t curves.Timeline) *Figure {
	allowed, name := t.Allows()
	exact, words := reference(t.Reference, " Grey line: the exact reference.")
	return timeFigure(in, t, t.Unit+" in the last "+report.Each(t.Limit.WindowUS),
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

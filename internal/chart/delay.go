package chart

import "ratelab/internal/curves"

// delay shows how long what a shaper admits has to wait.
func delay(in curves.Input, t curves.Timeline) *Figure {
	return timeFigure(in, t, t.Unit, t.Caption+".", 0, func(p *panel, b bins, c curves.Curve) {
		line := slopes(b, c.Values)
		p.fill(line, tint(p.color, 0.16))
		p.line(line, p.color, 1.5)
		p.peak(b, c, "", "nothing admitted")
	})
}

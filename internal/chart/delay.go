package chart

import "ratelab/internal/curves"

// delay shows what a shaper asks of those it admits.
func delay(in curves.Input, t curves.Timeline) *Figure { return heights(in, t, 0, "nothing admitted") }

// heights has a line for the height at each moment; none says that it is 0 all the time.
func heights(in curves.Input, t curves.Timeline, least int64, none string) *Figure {
	return timeFigure(in, t, t.Unit, t.Caption+".", least, func(p *panel, b bins, c curves.Curve) {
		line := slopes(b, c.Values)
		p.fill(line, tint(p.color, 0.16))
		p.line(line, p.color, 1.5)
		p.peak(b, c, "", none)
	})
}

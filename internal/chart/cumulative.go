package chart

import (
	"ratelab/internal/curves"
	"ratelab/internal/message"
)

// cumulative shows the running total of what a limiter admits, and how far it is from the exact reference's.
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

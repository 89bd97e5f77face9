package simchart

import (
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// sumFigure shows where an algorithm and the exact limit part, and whether they meet again.
func sumFigure(in curves.Input, t curves.Timeline) figure {
	f := overTime(in, t, t.Unit+" so far",
		t.Caption+ifThere(t, ", against the exact reference (grey line). Shaded: the difference")+".")
	f.top = top(t.Reference)
	f.draw = func(a axes, c curves.Curve) { a.drawCumulative(c, t) }
	return f
}

func (a axes) drawCumulative(c curves.Curve, t curves.Timeline) {
	line := a.rise(c.Values, t.BinUS)
	text := chart.Exact(c.Top)
	if t.Reference == nil {
		a.Pen.Fill(a.ToBase(line), chart.Tint(a.color, 0.16))
		a.Pen.Stroke(line, a.color, 1.6)
		a.Avoid(line)
		a.Place(text, chart.FigureLetters, a.AtEnd(line[len(line)-1], chart.FigureLetters.Width(text), true))
		return
	}
	ideal := a.rise(t.Reference.Values, t.BinUS)
	a.Pen.Fill(between(line, ideal), chart.Tint(a.color, 0.22))
	a.Pen.Stroke(ideal, chart.Reference, 1.3)
	a.Pen.Stroke(line, a.color, 1.6)
	a.Avoid(line, ideal)
	end, above := line[len(line)-1], c.Top >= t.Reference.Top
	a.Place(text, chart.FigureLetters, a.AtEnd(end, chart.FigureLetters.Width(text), above))
	if t.Reference.Top != c.Top {
		text := "exact " + chart.Exact(t.Reference.Top)
		a.Place(text, chart.SmallLetters, a.AtEnd(ideal[len(ideal)-1], chart.SmallLetters.Width(text), !above))
	}
}

// between closes the area between two lines over the same time.
func between(one, other []chart.Point) []chart.Point {
	back := slices.Clone(other)
	slices.Reverse(back)
	return slices.Concat(one, back)
}

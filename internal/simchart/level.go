package simchart

import (
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// levelFigure is the picture on which an overshoot is seen: the sum let through in the window that ends at each
// moment, with the limit across it.
func levelFigure(in curves.Input, t curves.Timeline) figure {
	allowed, name := t.Allows()
	f := overTime(in, t, t.Unit+" in the last "+window(t.Chart),
		t.Caption+". Dashed: the "+name+"."+ifThere(t, " Grey line: the exact reference."))
	f.top = max(allowed, top(t.Reference))
	f.draw = func(a axes, c curves.Curve) { a.drawWindow(c, t) }
	return f
}

func (a axes) drawWindow(c curves.Curve, t curves.Timeline) {
	limit, name := t.Allows()
	line := a.profile(c.Values, t.BinUS)
	a.Pen.Fill(a.ToBase(line), chart.Tint(a.color, 0.16))
	if c.Top > limit {
		over := slices.Clone(c.Values)
		for i, v := range over {
			over[i] = max(v, limit)
		}
		a.Pen.Fill(a.closedAt(a.profile(over, t.BinUS), limit), chart.Tint(a.color, 0.45))
	}
	if t.Reference != nil {
		exactly := a.profile(t.Reference.Values, t.BinUS)
		a.Pen.Stroke(exactly, chart.Reference, 1)
		a.Avoid(exactly)
	}
	level := a.Level(float64(limit))
	a.Pen.Stroke(level, chart.Ink, 0.9, 4, 3)
	a.Pen.Stroke(line, a.color, 1.5)
	a.Avoid(line, level)
	a.labelPeak(c, t.BinUS, "nothing let through")
	if a.first {
		text := name + " " + chart.Exact(limit)
		a.Place(text, chart.SmallLetters, a.AlongLine(a.y(limit), chart.SmallLetters.Width(text)))
	}
}

// labelPeak marks the first moment of the highest sum with its figure; none is what it says where that is 0.
func (a axes) labelPeak(c curves.Curve, binUS int64, none string) {
	if c.Top == 0 {
		a.Place(none, chart.SmallLetters, a.AlongLine(a.y(0), chart.SmallLetters.Width(none)))
		return
	}
	shown := min(c.Top, a.top)
	q := chart.At(a.binMiddle(slices.Index(c.Values, shown), binUS), a.y(shown))
	a.Pen.Dot(q, 2.6, a.color)
	text := chart.Exact(c.Top)
	if shown < c.Top {
		text += ", cut off"
	}
	a.Place(text, chart.FigureLetters, a.Around(q, chart.FigureLetters.Width(text)))
}

// top is that of a curve which need not be there.
func top(c *curves.Curve) int64 {
	if c == nil {
		return 0
	}
	return c.Top
}

// ifThere are words about the reference, where there is one.
func ifThere(t curves.Timeline, words string) string {
	if t.Reference == nil {
		return ""
	}
	return words
}

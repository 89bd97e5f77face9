package simchart

import (
	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// waitFigure shows what a shaper asks of those it admits.
func waitFigure(in curves.Input, t curves.Timeline) figure {
	return heightFigure(in, t, "nothing admitted")
}

// stockFigure shows what is held, and that it only grows where nothing deletes it: however much that is beside the
// others, it is not cut off.
func stockFigure(in curves.Input, t curves.Timeline) figure {
	f := heightFigure(in, t, "none")
	for i := range t.Curves {
		f.top = max(f.top, t.Curves[i].Top)
	}
	return f
}

// heightFigure has a line for the height at each moment; none says that it is 0 all the time.
func heightFigure(in curves.Input, t curves.Timeline, none string) figure {
	f := overTime(in, t, t.Unit, t.Caption+".")
	f.draw = func(a axes, c curves.Curve) {
		line := a.profile(c.Values, t.BinUS)
		a.Pen.Fill(a.ToBase(line), chart.Tint(a.color, 0.16))
		a.Pen.Stroke(line, a.color, 1.5)
		a.Avoid(line)
		a.labelPeak(c, t.BinUS, none)
	}
	return f
}

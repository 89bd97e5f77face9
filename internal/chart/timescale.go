package chart

import (
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// timescale draws the most that was admitted in any interval, by the interval's length, as a multiple of what the
// contract allows in it. Both axes are logarithmic, so that a millisecond and a window fit on one axis. The figure ends
// at two windows. The data has all lengths and the counts. timescale returns nil if no row has such measurements.
func timescale(in curves.Input) *Figure {
	t := curves.NewTimescale(in.Run)
	if t == nil {
		return nil
	}
	const least = 0.001 // 0 is drawn at this value
	end := len(t.IntervalUS)
	if i := slices.IndexFunc(t.IntervalUS, func(us int64) bool { return us >= 2*t.Limit.WindowUS }); i >= 0 {
		end = i + 1
	}
	multiples := func(c curves.Curve) (line plotter.XYs) {
		for i, v := range c.Values[:end] {
			y := float64(v) / float64(max(1, t.Allowed[i]))
			line = append(line, plotter.XY{X: float64(t.IntervalUS[i]), Y: max(y, least)})
		}
		return line
	}
	low, top := 1.0, 1.0
	for _, c := range t.Shown() {
		for _, at := range multiples(c) {
			low, top = min(low, at.Y), max(top, at.Y)
		}
	}
	f := runFigure(in, t.Chart, "timescale", "The most admitted for one key in any interval, by the interval's "+
		"length, as a multiple of what the contract allows in it (dashed). The dot is the limit's window.",
		func(p *panel, c curves.Curve) {
			line := multiples(c)
			p.fill(line, tint(p.color, 0.16))
			p.line(level(line, 1), Ink, 0.9, limitDashes...)
			p.line(line, p.color, 1.5)
			p.dot(line[t.Window])
			p.label(message.Grouped(c.Top), figureLetters, line[t.Window])
		})
	_, height := gridOf(len(f.columns), 1)
	f.x = logTime(float64(t.IntervalUS[0]), float64(t.IntervalUS[end-1]))
	f.strips = []Axis{Logarithmic(low, top*1.25, height/4, t.Unit+" ÷ contract", report.Short)}
	return f
}

// logTime returns a logarithmic axis of durations in µs, marked in steps of about ten.
func logTime(lowUS, highUS float64) Axis {
	a := Axis{Min: lowUS, Max: max(highUS, 2*lowUS), Log: true}
	a.Ticks = func(length float64) []plot.Tick {
		var within []float64
		for _, d := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second,
			10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 10 * time.Hour, 4 * 24 * time.Hour,
			40 * 24 * time.Hour, 400 * 24 * time.Hour} {
			if us := float64(d.Microseconds()); us >= a.Min*(1-1e-9) && us <= a.Max*(1+1e-9) {
				within = append(within, us)
			}
		}
		const pitch = 46 // the width of a label such as 100 ms, with its distance to the next
		return labelled(thinned(within, max(int(length/pitch), 1)), report.Natural)
	}
	return a
}

package chart

import (
	"slices"

	"gonum.org/v1/plot/plotter"

	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// leastMultiple is what the axis of multiples begins with at the least.
const leastMultiple = 0.001

// timescale tells 200 within 10 ms from 200 within 1 s: the most that was let through in any interval, by the
// interval's length, as a multiple of what the row promises. Both axes are logarithmic, so that a millisecond can be
// read beside a window. It ends at two windows; the data has all the lengths, and the counts.
func timescale(in curves.Input) []*Figure {
	t := curves.NewTimescale(in.Run)
	if t == nil {
		return nil
	}
	begin, end := drawnScales(t)
	lengths := t.IntervalUS[begin:end]
	low, top := 1.0, 1.0
	for _, c := range t.Shown() {
		for _, v := range c.Multiples[begin:end] {
			if v > 0 {
				low, top = min(low, v), max(top, v)
			}
		}
	}
	f := runFigure(in, t.Chart, curves.TimescaleName, "The most let through for one key in any interval, by the "+
		"interval's length: multiples of what the algorithm promises for it (dashed), or of what the contract allows "+
		"where it promises nothing. At the dot, the limit's window, stands how many that were.",
		func(p *panel, c curves.Curve) {
			var line plotter.XYs // what is nothing stands at the base
			for i, v := range c.Multiples[begin:end] {
				line = append(line, plotter.XY{X: float64(lengths[i]), Y: max(v, leastMultiple)})
			}
			p.fill(line, tint(p.color, 0.16))
			p.line(level(line, 1), Ink, 0.9, limitDashes...)
			p.line(line, p.color, 1.5)
			if t.Window < begin || t.Window >= end {
				return
			}
			at := line[t.Window-begin]
			p.dots(plotter.XYs{at}, 2.6, p.color, dot)
			p.label(message.Grouped(c.Top), figureLetters, at)
			if p.first {
				words := "promise"
				if c.Bound == nil {
					words = "contract"
				}
				p.label(words, smallLetters, level(line, 1)...)
			}
		})
	_, height := gridOf(len(f.columns), 1)
	f.x = LogTime(float64(lengths[0]), float64(lengths[len(lengths)-1]))
	f.strips = []Axis{Logarithmic(max(low, leastMultiple), top*1.25, height/4, t.Unit+" ÷ promise", report.Short)}
	return []*Figure{f}
}

// drawnScales are the intervals to draw. The first is the one before any row let more through than in the one before,
// since until then nothing happens, and the last is of at least two windows.
func drawnScales(t *curves.Timescale) (begin, end int) {
	end = len(t.IntervalUS)
	if i := slices.IndexFunc(t.IntervalUS, func(us int64) bool { return us >= 2*t.Limit.WindowUS }); i >= 0 {
		end = i + 1
	}
	begin = end - 1
	for _, c := range t.Shown() {
		if i := slices.IndexFunc(c.Values[:end], func(v int64) bool { return v > c.Values[0] }); i >= 0 {
			begin = min(begin, i)
		}
	}
	return max(0, min(begin-1, end-2)), end
}

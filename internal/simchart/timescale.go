package simchart

import (
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// timescaleFigure tells 200 within 10 ms from 200 within 1 s: the most that was let through in any interval, by the
// interval's length, as a multiple of what the row promises. Both axes are logarithmic, so that a millisecond can be
// read beside a window. It ends at two windows; the CSV has all the lengths, and the counts.
func timescaleFigure(in curves.Input, t *curves.Timescale) figure {
	f := figure{in: in, chart: t.Chart, name: curves.TimescaleName, unit: t.Unit + " ÷ promise",
		subtitle: "The most let through for one key in any interval, by the interval's length: multiples of what the " +
			"algorithm promises for it (dashed), or of what the contract allows where it promises nothing. At the " +
			"dot, the limit's window, stands how many that were."}
	end := endOfScales(t)
	begin := max(0, min(beginOfScales(t, end), end-2))
	lengths := t.IntervalUS[begin:end]
	f.horizontal = chart.LogTime(float64(lengths[0]), float64(lengths[len(lengths)-1]))
	low, top := 1.0, 1.0
	for _, c := range t.Shown() {
		for _, v := range c.Multiples[begin:end] {
			if v > 0 {
				low, top = min(low, v), max(top, v)
			}
		}
	}
	_, height := chart.GridOf(len(t.Shown()))
	f.vertical = chart.Logarithmic(max(low, leastMultiple), top*1.25, height/4, f.unit, chart.Short)
	f.draw = func(a axes, c curves.Curve) {
		timescale{axes: a, Timescale: t, intervalUS: lengths}.draw(c, begin, end)
	}
	return f
}

// leastMultiple is what the axis begins with at the least.
const leastMultiple = 0.001

// beginOfScales is the index of the first interval to draw: the first in which any row let more through than in the
// one before, and one more to its left, since until then nothing happens.
func beginOfScales(t *curves.Timescale, end int) int {
	first := end - 1
	for _, c := range t.Shown() {
		i := slices.IndexFunc(c.Values[:end], func(v int64) bool { return v > c.Values[0] })
		if i >= 0 {
			first = min(first, i)
		}
	}
	return first - 1
}

// endOfScales is how many of the intervals come up to the first of at least two windows.
func endOfScales(t *curves.Timescale) int {
	i := slices.IndexFunc(t.IntervalUS, func(us int64) bool { return us >= 2*t.Limit.WindowUS })
	if i < 0 {
		return len(t.IntervalUS)
	}
	return i + 1
}

// timescale is one algorithm's curve, as far as it is drawn.
type timescale struct {
	axes
	*curves.Timescale
	intervalUS []int64
}

// draw marks the value in the limit's window.
func (t timescale) draw(c curves.Curve, begin, end int) {
	line := t.line(c.Multiples[begin:end])
	t.Pen.Fill(t.ToBase(line), chart.Tint(t.color, 0.16))
	promise := t.Level(1)
	t.Pen.Stroke(promise, chart.Ink, 0.9, 4, 3)
	t.Pen.Stroke(line, t.color, 1.5)
	t.Avoid(line, promise)
	if t.Window < begin || t.Window >= end {
		return
	}
	at := line[t.Window-begin]
	t.Pen.Dot(at, 2.6, t.color)
	text := chart.Exact(c.Top)
	t.Place(text, chart.FigureLetters, t.Around(at, chart.FigureLetters.Width(text)))
	if t.first {
		words := "promise"
		if c.Bound == nil {
			words = "contract"
		}
		t.Place(words, chart.SmallLetters, t.AlongLine(promise[0].Y, chart.SmallLetters.Width(words)))
	}
}

// line joins values at the intervals' lengths. What is nothing stands at the base.
func (t timescale) line(values []float64) []chart.Point {
	var line []chart.Point
	for i, v := range values {
		line = append(line, t.At(float64(t.intervalUS[i]), max(v, leastMultiple)))
	}
	return line
}

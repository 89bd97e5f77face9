package simchart

import (
	"math"
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// timescaleFigure tells 200 within 10 ms from 200 within 1 s: the most that was admitted in any interval, by the
// interval's length. It begins where there is anything to see, and ends at two windows, so that an overshoot of one
// keeps its size; the CSV has all the lengths.
func timescaleFigure(in curves.Input, t *curves.Timescale) figure {
	f := figure{in: in, chart: t.Chart, name: curves.TimescaleName, unit: t.Unit + " in an interval",
		subtitle: t.Caption + ". " +
			"Dashed: what burst and rate allow. Dotted: what the algorithm promises. The dot is the limit's window."}
	end := endOfScales(t)
	f.top = t.Allowed[end-1]
	for _, c := range t.Shown() {
		f.top = max(f.top, c.Values[end-1])
	}
	begin := beginOfScales(t, end, f.top)
	lengths := t.IntervalUS[begin:end]
	f.horizontal = chart.LogTime(float64(lengths[0]), float64(lengths[len(lengths)-1]))
	f.draw = func(a axes, c curves.Curve) {
		drawn := timescale{axes: a, Timescale: t, intervalUS: lengths, most: c.Values[begin:end]}
		if c.Bound != nil {
			drawn.bound = c.Bound[begin:end]
		}
		drawn.draw(c.Top)
	}
	return f
}

// beginOfScales is the index of the first interval to draw: a little before anything rises to a twentieth of top. At
// least two decades are drawn, where there are so many.
func beginOfScales(t *curves.Timescale, end int, top int64) int {
	const before, twoDecades = 3, 13
	first := end - 1
	for _, c := range t.Shown() {
		i := slices.IndexFunc(c.Values[:end], func(v int64) bool { return v > top/20 })
		if i >= 0 {
			first = min(first, i)
		}
	}
	return max(0, min(first-before, end-twoDecades))
}

// endOfScales is how many of the intervals come up to the first of at least two windows.
func endOfScales(t *curves.Timescale) int {
	i := slices.IndexFunc(t.IntervalUS, func(us int64) bool { return us >= 2*t.Limit.WindowUS })
	if i < 0 {
		return len(t.IntervalUS)
	}
	return i + 1
}

// timescale is one algorithm's curve, as far as it is drawn. The bound may be absent.
type timescale struct {
	axes
	*curves.Timescale
	intervalUS, most, bound []int64
}

// draw marks the value in the limit's window.
func (t timescale) draw(inWindow int64) {
	line, allowed := t.line(t.most), t.allowed()
	t.Pen.Fill(t.ToBase(line), chart.Tint(t.color, 0.16))
	if over := t.over(); over != nil {
		t.Pen.Fill(over, chart.Tint(t.color, 0.45))
	}
	t.Pen.Stroke(allowed, chart.Ink, 0.9, 4, 3)
	if t.bound != nil {
		bound := t.line(t.bound)
		t.Pen.Stroke(bound, chart.Tint(t.color, 0.9), 1.2, 1, 2.5)
		t.Avoid(bound)
	}
	t.Pen.Stroke(line, t.color, 1.5)
	t.Avoid(line, allowed)
	at := t.At(float64(t.Limit.WindowUS), float64(inWindow))
	t.Pen.Dot(at, 2.6, t.color)
	text := chart.Exact(inWindow)
	t.Place(text, chart.FigureLetters, t.Around(at, chart.FigureLetters.Width(text)))
	if t.first {
		const text = "burst + rate"
		t.Place(text, chart.SmallLetters, t.AlongLine(allowed[0].Y, chart.SmallLetters.Width(text)))
	}
}

// line joins values at the intervals' lengths.
func (t timescale) line(values []int64) []chart.Point {
	var line []chart.Point
	for i, v := range values {
		line = append(line, t.At(float64(t.intervalUS[i]), float64(v)))
	}
	return line
}

// steps is how many straight pieces stand for the curve of the rate on a logarithmic axis.
const steps = 64

// lengths are points of the axis, close enough together for a curve.
func (t timescale) lengths() []float64 {
	from, to := float64(t.intervalUS[0]), float64(t.intervalUS[len(t.intervalUS)-1])
	all := make([]float64, steps+1)
	for i := range all {
		all[i] = from * math.Pow(to/from, float64(i)/steps)
	}
	return all
}

// allows is what burst and rate allow in an interval of us µs.
func (t timescale) allows(us float64) float64 {
	return float64(t.Limit.Burst) + float64(t.Limit.Requests)*us/float64(t.Limit.WindowUS)
}

func (t timescale) allowed() []chart.Point {
	var line []chart.Point
	for _, us := range t.lengths() {
		line = append(line, t.At(us, t.allows(us)))
	}
	return line
}

// over is the area between the curve and what burst and rate allow, where the curve is above it; nil where it never is.
func (t timescale) over() []chart.Point {
	var upper, lower []chart.Point
	exceeds := false
	for _, us := range t.lengths() {
		limit, y := t.At(us, t.allows(us)), t.between(us)
		upper, lower = append(upper, chart.At(limit.X, min(y, limit.Y))), append(lower, limit)
		exceeds = exceeds || y < limit.Y-0.5
	}
	if !exceeds {
		return nil
	}
	return between(upper, lower)
}

// between is where the curve stands at us, on the straight line between two of its points.
func (t timescale) between(us float64) float64 {
	i := min(sortedIndex(t.intervalUS, us), len(t.intervalUS)-1)
	p := t.At(float64(t.intervalUS[i]), float64(t.most[i]))
	if i == 0 {
		return p.Y
	}
	before := t.At(float64(t.intervalUS[i-1]), float64(t.most[i-1]))
	return before.Y + (p.Y-before.Y)*(t.X(us)-before.X)/(p.X-before.X)
}

// sortedIndex is that of the first length of at least us.
func sortedIndex(lengths []int64, us float64) int {
	i, _ := slices.BinarySearchFunc(lengths, us, func(length int64, us float64) int {
		switch {
		case float64(length) < us*(1-1e-9):
			return -1
		case float64(length) > us:
			return 1
		}
		return 0
	})
	return i
}

package simchart

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ratelab/internal/chart"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/sheet"
)

// timescaleFigure tells 200 within 10 ms from 200 within 1 s: the most that was admitted in any interval, by the
// interval's length. It begins where there is anything to see, and ends at two windows, so that an overshoot of one
// keeps its size; the CSV has all the lengths.
func (s *scene) timescaleFigure() *figure {
	f := s.figure("timescale",
		fmt.Sprintf("The most admitted in any interval, by the interval's length, in %s. Dashed: what burst and rate allow. Dotted: what the algorithm promises. The dot is the limit's window. Limit %s.",
			s.unit, s.policy()), s.unit+" in an interval")
	scales := s.in.Run.TimeScales
	end := endOfScales(scales.IntervalUS, s.in.Run.Limit.WindowUS)
	f.top = float64(scales.Limit[end-1])
	for _, c := range s.courses {
		f.top = max(f.top, float64(s.row(c.label).MostAdmitted[end-1]))
	}
	begin := s.beginOfScales(end, int64(f.top))
	axis := chart.LogTime(float64(scales.IntervalUS[begin]), float64(scales.IntervalUS[end-1]))
	f.horizontal = &axis
	for i, c := range s.courses {
		row := s.row(c.label)
		t := timescale{limit: s.in.Run.Limit, intervalUS: scales.IntervalUS[:end], most: row.MostAdmitted[:end], begin: begin}
		if len(row.Bound) >= end {
			t.bound = row.Bound[:end]
		}
		f.panels = append(f.panels, chart.Panel{Label: c.label, Color: c.color, Fact: t.fact(), Draw: func(a *chart.Axes) { t.draw(a, c, i == 0) }})
	}
	f.data = s.timescaleData()
	return f
}

// beginOfScales is the index of the first interval to draw: a little before anything rises to a twentieth of top. At
// least two decades are drawn, where there are so many.
func (s *scene) beginOfScales(end int, top int64) int {
	const before, twoDecades = 3, 13
	first := end - 1
	for _, c := range s.courses {
		i := slices.IndexFunc(s.row(c.label).MostAdmitted[:end], func(v int64) bool { return v > top/20 })
		if i >= 0 {
			first = min(first, i)
		}
	}
	return max(0, min(first-before, end-twoDecades))
}

// endOfScales is how many of the intervals come up to the first of at least two windows.
func endOfScales(intervalUS []int64, windowUS int64) int {
	i := slices.IndexFunc(intervalUS, func(us int64) bool { return us >= 2*windowUS })
	if i < 0 {
		return len(intervalUS)
	}
	return i + 1
}

// hasTimescales reports whether every row has what the figure shows; rows on the real clock do not.
func (s *scene) hasTimescales() bool {
	scales := s.in.Run.TimeScales
	if scales == nil || len(scales.IntervalUS) == 0 || len(scales.Limit) != len(scales.IntervalUS) {
		return false
	}
	for _, p := range s.in.Algorithms {
		if row := s.row(p.Label); row == nil || len(row.MostAdmitted) != len(scales.IntervalUS) {
			return false
		}
	}
	return true
}

func (s *scene) row(label string) *report.Row {
	for i := range s.in.Run.Results {
		if s.in.Run.Results[i].Algorithm == label {
			return &s.in.Run.Results[i]
		}
	}
	return nil
}

// timescale is one algorithm's curve, of which everything from begin on is drawn. The bound may be absent.
type timescale struct {
	limit      result.Limit
	intervalUS []int64
	most       []int64
	bound      []int64
	begin      int
}

// fact says how much more than the window's limit there was, and in how short a time.
func (t timescale) fact() string {
	most := t.inWindow()
	above := t.first(t.limit.Requests + 1)
	if above < 0 || most <= t.limit.Requests {
		return "within the limit"
	}
	times := sheet.Times(float64(most)/float64(t.limit.Requests)) + " ×"
	window := chart.Span(float64(t.limit.WindowUS))
	reached := t.first(most - (most-t.limit.Requests)/100) // but for a hundredth of the overshoot
	switch {
	case t.intervalUS[above] >= t.limit.WindowUS:
		return times + " only over " + window
	case above == reached:
		return times + " the limit within " + chart.Span(float64(t.intervalUS[above]))
	}
	return fmt.Sprintf("%s over %s, above 1 × in %s", times, chart.Span(float64(t.intervalUS[reached])), chart.Span(float64(t.intervalUS[above])))
}

// first is the index of the first interval with at least so much, or −1.
func (t timescale) first(least int64) int {
	return slices.IndexFunc(t.most, func(v int64) bool { return v >= least })
}

func (t timescale) inWindow() int64 { return t.most[t.window()] }

// window is the index of the limit's window, which is always among the intervals.
func (t timescale) window() int { return max(0, slices.Index(t.intervalUS, t.limit.WindowUS)) }

func (t timescale) draw(a *chart.Axes, c course, first bool) {
	line, allowed := t.line(a, t.most), t.allowed(a)
	a.Pen.Fill(a.ToBase(line), chart.Tint(c.color, 0.16))
	if over := t.over(a); over != nil {
		a.Pen.Fill(over, chart.Tint(c.color, 0.45))
	}
	a.Pen.Stroke(allowed, chart.Ink, 0.9, 4, 3)
	if t.bound != nil {
		bound := t.line(a, t.bound)
		a.Pen.Stroke(bound, chart.Tint(c.color, 0.9), 1.2, 1, 2.5)
		a.Avoid(bound)
	}
	a.Pen.Stroke(line, c.color, 1.5)
	a.Avoid(line, allowed)
	at := chart.At(a.X(float64(t.limit.WindowUS)), a.Y(float64(t.inWindow())))
	a.Pen.Dot(at, 2.6, c.color)
	text := chart.Exact(t.inWindow())
	a.Place(text, chart.FigureLetters, a.Around(at, chart.FigureLetters.Width(text)))
	if first {
		const text = "burst + rate"
		a.Place(text, chart.SmallLetters, a.AlongLine(allowed[0].Y, chart.SmallLetters.Width(text)))
	}
}

// line joins values at the intervals' lengths.
func (t timescale) line(a *chart.Axes, values []int64) []chart.Point {
	var line []chart.Point
	for i := t.begin; i < len(values); i++ {
		line = append(line, a.At(float64(t.intervalUS[i]), float64(values[i])))
	}
	return line
}

// steps is how many straight pieces stand for the curve of the rate on a logarithmic axis.
const steps = 64

// lengths are points of the axis, close enough together for a curve.
func (t timescale) lengths() []float64 {
	from, to := float64(t.intervalUS[t.begin]), float64(t.intervalUS[len(t.intervalUS)-1])
	all := make([]float64, steps+1)
	for i := range all {
		all[i] = from * math.Pow(to/from, float64(i)/steps)
	}
	return all
}

// allows is what burst and rate allow in an interval of us µs.
func (t timescale) allows(us float64) float64 {
	return float64(t.limit.Burst) + float64(t.limit.Requests)*us/float64(t.limit.WindowUS)
}

func (t timescale) allowed(a *chart.Axes) []chart.Point {
	var line []chart.Point
	for _, us := range t.lengths() {
		line = append(line, a.At(us, t.allows(us)))
	}
	return line
}

// over is the area between the curve and what burst and rate allow, where the curve is above it; nil where it never is.
func (t timescale) over(a *chart.Axes) []chart.Point {
	var upper, lower []chart.Point
	exceeds := false
	for _, us := range t.lengths() {
		y := t.between(a, us)
		upper, lower = append(upper, chart.At(a.X(us), min(y, a.Y(t.allows(us))))), append(lower, a.At(us, t.allows(us)))
		exceeds = exceeds || y < a.Y(t.allows(us))-0.5
	}
	if !exceeds {
		return nil
	}
	slices.Reverse(lower)
	return append(upper, lower...)
}

// between is where the curve stands at us, on the straight line between two of its points.
func (t timescale) between(a *chart.Axes, us float64) float64 {
	i := min(sortedIndex(t.intervalUS, us), len(t.intervalUS)-1)
	p := a.At(float64(t.intervalUS[i]), float64(t.most[i]))
	if i == t.begin {
		return p.Y
	}
	before := a.At(float64(t.intervalUS[i-1]), float64(t.most[i-1]))
	return before.Y + (p.Y-before.Y)*(a.X(us)-before.X)/(p.X-before.X)
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

// timescaleData has a line for each interval: the most that each row admitted, what burst and rate allow, and what
// each row promises, which is empty for those that promise nothing.
func (s *scene) timescaleData() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	scales := s.in.Run.TimeScales
	header := []string{"interval_us"}
	for _, p := range s.in.Algorithms {
		header = append(header, sheet.Defuse(p.Label))
	}
	header = append(header, "limit")
	for _, p := range s.in.Algorithms {
		header = append(header, sheet.Defuse(p.Label+" bound"))
	}
	_ = w.Write(header) // a bytes.Buffer takes everything
	for i, us := range scales.IntervalUS {
		line := []string{strconv.FormatInt(us, 10)}
		for _, p := range s.in.Algorithms {
			line = append(line, strconv.FormatInt(s.row(p.Label).MostAdmitted[i], 10))
		}
		line = append(line, strconv.FormatInt(scales.Limit[i], 10))
		for _, p := range s.in.Algorithms {
			line = append(line, entry(s.row(p.Label).Bound, i))
		}
		_ = w.Write(line)
	}
	w.Flush()
	return out.Bytes()
}

func entry(values []int64, i int) string {
	if i >= len(values) {
		return ""
	}
	return strconv.FormatInt(values[i], 10)
}

package chart

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// OfRun draws the effect of each limiter on one scenario's traffic. Package curves declares these charts, because the
// page has them, too:
//
//	<scenario>.admitted    the offered and the admitted cost, over time
//	<scenario>.window      the cost admitted in the rolling window, against the limit; with several limits one chart
//	                       for each of the first four, <scenario>.window-<limit>
//	<scenario>.cumulative  the cost admitted up to each time, against the exact reference
//	<scenario>.delay       how long admitted requests wait; only for runs with a shaper
//	<scenario>.sweep       figures by the value of a parameter; only for runs with a sweep; not on the page
//	<scenario>.timescale   the most admitted in any interval, by its length; not on the page
//
// The limiters have small panels that share both axes. With a dozen limiters, lines in one panel could not be told
// apart. In a panel of its own, each limiter has its colour, its label and its figure. The row none has no panel unless
// it is alone: it admits all requests, and its scale would make the others flat. The data has all rows.
func OfRun(in curves.Input) []*Figure {
	var all []*Figure
	for _, t := range curves.Timelines(in) {
		all = append(all, drawings[t.Drawing](in, t))
	}
	if f := timescale(in); f != nil {
		all = append(all, f)
	}
	if f := sweep(in); f != nil {
		all = append(all, f)
	}
	return all
}

// runFigure returns the figure of a run with a column for each curve. The subtitle ends with the limit.
func runFigure(in curves.Input, c curves.Chart, name, subtitle string, draw func(*panel, curves.Curve)) *Figure {
	run := in.Run
	f := &Figure{Name: run.Scenario + "." + name, Title: run.Question, Data: c.CSV(),
		Subtitle: fmt.Sprintf("%s Limit %s.", subtitle, policy(c.Limit)),
		Footer:   fmt.Sprintf("%s  ·  seed %d  ·  %s", run.Scenario, run.Seed, run.Server)}
	if run.Limits != nil && c.Limit == run.Limit && name != "timescale" && name != "window-"+run.Limits[0].Name {
		f.Subtitle = fmt.Sprintf("%s Limits %s.", subtitle, report.LimitsWords(run.Limits))
	}
	if f.Title == "" {
		f.Title = run.Scenario
	}
	if run.Partial {
		f.Subtitle = partial + f.Subtitle
	}
	if in.Version != "" {
		f.Footer += "  ·  ratelab " + in.Version
	}
	for _, c := range c.Shown() {
		f.columns = append(f.columns, column{label: c.Label, color: Color(c.Label), fact: c.Fact,
			draw: []func(*panel){func(p *panel) { draw(p, c) }}})
	}
	return f
}

// partial warns that figures are incomplete.
const partial = "PARTIAL: interrupted before its end. "

// policy describes a limit in words: 1,000 per 3 s, burst 100.
func policy(l result.Limit) string {
	if l.Contract == limit.ByFlight {
		return message.Grouped(l.Requests) + " in flight"
	}
	text := message.Grouped(l.Requests) + " per " + report.Each(l.WindowUS)
	if l.Burst != 0 && l.Burst != l.Requests {
		text += ", burst " + message.Grouped(l.Burst)
	}
	return text
}

// timeFigure returns the figure of a timeline. Its scale reaches at least to least.
func timeFigure(in curves.Input, t curves.Timeline, unit, subtitle string, least int64,
	draw func(*panel, bins, curves.Curve)) *Figure {
	if t.Silence != "" {
		subtitle += " " + t.Silence + "."
	}
	top := highest(t.Shown(), least)
	b := bins{from: t.FromUS, width: t.BinUS, end: t.EndUS, top: float64(top)}
	f := runFigure(in, t.Chart, t.Name, subtitle, func(p *panel, c curves.Curve) { draw(p, b, c) })
	_, height := gridOf(len(f.columns), 1)
	f.x = Time(t.OriginUS, float64(t.FromUS), float64(t.EndUS), 52)
	f.strips = []Axis{Counts(float64(top), height, unit)}
	return f
}

// dwarfing is the largest ratio of the highest curve's top to the next one's for which the highest sets the scale.
const dwarfing = 3

// highest returns the end of the scale of all panels: the highest value. But if one row, or the offered traffic, is
// much higher than all others, it is cut off.
func highest(shown []curves.Curve, least int64) int64 {
	top, seen, next := least, least, least
	for _, c := range shown {
		own := c.Top
		if c.Offered != nil {
			own = slices.Max(c.Values)
			top = max(top, c.Top)
		}
		seen, next = max(seen, own), max(next, min(seen, own))
	}
	top = max(top, seen)
	switch {
	case next > 0 && seen > dwarfing*next:
		return next + next/2
	case seen > 0 && top > dwarfing*seen:
		return seen + seen/2
	}
	return top
}

// bins are the intervals of values over time. Values above top are cut off.
type bins struct {
	from, width, end int64 // µs
	top              float64
}

// at returns the instant n bins after the beginning.
func (b bins) at(n float64) float64 { return min(float64(b.from)+n*float64(b.width), float64(b.end)) }

// number is the type of a bin's value.
type number interface{ int64 | float64 }

func point[V number](b bins, n float64, v V) plotter.XY {
	return plotter.XY{X: b.at(n), Y: min(float64(v), b.top)}
}

// steps draws a value that holds for a whole bin.
func steps[V number](b bins, values []V) (line plotter.XYs) {
	for i, v := range values {
		line = append(line, point(b, float64(i), v), point(b, float64(i+1), v))
	}
	return line
}

// slopes draws a level that changes within the bins, from the middle of one to the middle of the next.
//
// Note: steps would make every slope look like a saw.
func slopes[V number](b bins, values []V) plotter.XYs {
	line := plotter.XYs{point(b, 0, values[0])}
	for i, v := range values {
		line = append(line, point(b, float64(i)+0.5, v))
	}
	return append(line, point(b, float64(len(values)), values[len(values)-1]))
}

// sums draws a total that starts at 0 and reaches each value at its bin's end.
func sums(b bins, totals []int64) plotter.XYs {
	line := plotter.XYs{point(b, 0, 0.0)}
	for i, v := range totals {
		line = append(line, point(b, float64(i+1), v))
	}
	return line
}

// peak marks the first moment of the highest value with the value and a word. If the value is 0, the label is the text
// in none.
func (p *panel) peak(b bins, c curves.Curve, word, none string) {
	if c.Top == 0 && none != "" {
		p.label(none, smallLetters, along(b, 0)...)
		return
	}
	text := message.Grouped(c.Top) + word
	if float64(c.Top) > b.top {
		text += ", cut off"
	}
	i := slices.IndexFunc(c.Values, func(v int64) bool { return float64(v) >= min(float64(c.Top), b.top) })
	at := point(b, float64(i)+0.5, c.Values[i])
	p.dot(at)
	p.label(text, figureLetters, at)
}

// along returns places for a label on a horizontal line.
func along(b bins, v float64) (places []plotter.XY) {
	for _, share := range []float64{0, 1, 0.5, 0.25, 0.75} {
		places = append(places, plotter.XY{X: float64(b.from) + share*float64(b.end-b.from), Y: v})
	}
	return places
}

// summit returns the first of a line's highest points.
func summit(line plotter.XYs) plotter.XY {
	best := line[0]
	for _, q := range line {
		if q.Y > best.Y {
			best = q
		}
	}
	return best
}

package benchchart

import (
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// playedDrawing is how the values are drawn, and the scales that the columns share.
type playedDrawing struct {
	*curves.Played
	perS      float64 // the highest rate on the scale
	allowed   int64   // the most that the contract allows in a window
	line      string  // what that is called
	peak      int64   // the highest sum in a window
	low, high float64 // response times, µs
}

// dwarfing is how many times as high as all that is let through the offered rate may be. Beyond, it is cut off.
const dwarfing = 3

func newPlayedDrawing(p *curves.Played) *playedDrawing {
	d := &playedDrawing{Played: p, perS: p.LimitPerS()}
	d.allowed, d.line = curves.Chart{Limit: p.Limit}.Allows()
	d.peak = d.allowed
	offered := 0.0
	for _, row := range p.Rows {
		d.perS = max(d.perS, slices.Max(row.AdmittedPerS))
		offered = max(offered, slices.Max(row.OfferedPerS))
		d.peak = max(d.peak, row.Peak)
		for _, us := range [][]float64{row.Accepted.P50US, row.Accepted.P99US, row.Rejected.P50US, row.Rejected.P99US} {
			d.include(us)
		}
	}
	d.low = max(d.low, benchresult.LowestUS)
	if offered > dwarfing*d.perS {
		d.perS *= 1.5
	} else {
		d.perS = max(d.perS, offered)
	}
	return d
}

// include makes room on the scale for response times; 0 is none.
func (d *playedDrawing) include(us []float64) {
	for _, v := range us {
		if v == 0 {
			continue
		}
		if d.low == 0 || v < d.low {
			d.low = v
		}
		d.high = max(d.high, v)
	}
}

func (d *playedDrawing) strips() []chart.Strip {
	const rates, levels, times = 84, 96, 110
	within := "in the last " + chart.Each(float64(d.Limit.WindowUS))
	all := []chart.Strip{
		{Vertical: chart.Amounts(d.perS, 30, "per second"), Height: rates, Draw: d.drawRates},
		{Vertical: chart.Counts(float64(d.peak), levels, within), Height: levels, Draw: d.drawLevel},
	}
	if d.high == 0 {
		return all // nowhere answers enough to tell
	}
	return append(all, chart.Strip{Height: times, Draw: d.drawResponses,
		Vertical: chart.Logarithmic(d.low, d.high, 26, "response time", us)})
}

func (d *playedDrawing) drawRates(column int, a *chart.Axes) {
	row := d.Rows[column]
	color := chart.Color(row.Label)
	offered, admitted := d.steps(a, row.OfferedPerS), d.steps(a, row.AdmittedPerS)
	limit := a.Level(d.LimitPerS())
	a.Pen.Fill(a.ToBase(offered), chart.Offered)
	a.Pen.Fill(a.ToBase(admitted), chart.Tint(color, 0.55))
	a.Pen.Stroke(admitted, color, 1.1)
	a.Pen.Stroke(limit, chart.Ink, 0.9, limitDashes...)
	a.Avoid(offered, admitted, limit)
	if most := slices.Max(row.OfferedPerS); most > d.perS {
		text := "offered " + chart.Short(roundTo(most, 0))
		a.Place(text, chart.SmallLetters, a.AlongTop(offered, chart.SmallLetters.Width(text)))
	}
}

// limitDashes mark the limit.
var limitDashes = []float64{4, 3}

// steps draws rates, each over its whole bin; equal neighbours are one line.
func (d *playedDrawing) steps(a *chart.Axes, perS []float64) []chart.Point {
	line := []chart.Point{a.At(float64(d.FromUS), perS[0])}
	for i := 1; i < len(perS); i++ {
		if perS[i] != perS[i-1] {
			at := float64(d.FromUS + int64(i)*d.RateUS)
			line = append(line, a.At(at, perS[i-1]), a.At(at, perS[i]))
		}
	}
	return append(line, a.At(float64(d.EndUS), perS[len(perS)-1]))
}

func (d *playedDrawing) drawLevel(column int, a *chart.Axes) {
	row := d.Rows[column]
	color, limit := chart.Color(row.Label), a.Level(float64(d.allowed))
	line := d.level(a, row.Rolling)
	a.Pen.Fill(a.ToBase(line), chart.Tint(color, 0.16))
	if row.Peak > d.allowed {
		over := slices.Clone(row.Rolling)
		for i, v := range over {
			over[i] = max(v, d.allowed)
		}
		a.Pen.Fill(append(d.level(a, over), limit[1], limit[0]), chart.Tint(color, 0.45))
	}
	a.Pen.Stroke(limit, chart.Ink, 0.9, limitDashes...)
	a.Pen.Stroke(line, color, 1.5)
	a.Avoid(line, limit)
	d.labelPeak(a, row)
}

// level goes from the middle of each bin to that of the next.
func (d *playedDrawing) level(a *chart.Axes, values []int64) []chart.Point {
	line := []chart.Point{a.At(float64(d.FromUS), float64(values[0]))}
	for i, v := range values {
		line = append(line, a.At(d.middleUS(i), float64(v)))
	}
	return chart.Simplify(append(line, a.At(float64(d.EndUS), float64(values[len(values)-1]))))
}

func (d *playedDrawing) middleUS(bin int) float64 {
	return min(float64(d.FromUS)+(float64(bin)+0.5)*float64(d.LevelUS), float64(d.EndUS))
}

// labelPeak marks the first moment of the highest sum: 1,979 of 1,000.
func (d *playedDrawing) labelPeak(a *chart.Axes, row curves.PlayedRow) {
	q := a.At(d.middleUS(slices.Index(row.Rolling, row.Peak)), float64(row.Peak))
	a.Pen.Dot(q, 2.6, chart.Color(row.Label))
	text := chart.Exact(row.Peak) + " of " + chart.Exact(d.allowed)
	a.Place(text, chart.FigureLetters, a.Around(q, chart.FigureLetters.Width(text)))
}

// drawResponses draws what was rejected behind what was accepted.
func (d *playedDrawing) drawResponses(column int, a *chart.Axes) {
	row := d.Rows[column]
	color := chart.Color(row.Label)
	draw := func(us []float64, width float64, dashes ...float64) {
		c := color
		if dashes != nil {
			c = chart.Ink
		}
		for _, line := range d.stretches(a, us) {
			a.Pen.Stroke(line, c, width, dashes...)
		}
	}
	draw(row.Accepted.P99US, 1)
	draw(row.Accepted.P50US, 2.2)
	draw(row.Rejected.P99US, 0.8, rejectedDashes...)
	draw(row.Rejected.P50US, 1.5, rejectedDashes...)
}

// stretches draws times over their whole intervals. Where there is none the line has a gap.
func (d *playedDrawing) stretches(a *chart.Axes, us []float64) [][]chart.Point {
	var all [][]chart.Point
	for i, v := range us {
		if v == 0 {
			continue
		}
		start := d.FromUS + int64(i)*d.IntervalUS
		if i == 0 || us[i-1] == 0 {
			all = append(all, nil)
		}
		last := &all[len(all)-1]
		*last = append(*last, a.At(float64(start), v), a.At(float64(min(start+d.IntervalUS, d.EndUS)), v))
	}
	return all
}

func (d *playedDrawing) keys() []chart.Key {
	line := "limit"
	if d.line != line {
		line += "; in the middle " + d.line
	}
	return []chart.Key{
		chart.AreaKey("offered", chart.Offered),
		chart.AreaKey("let through", chart.Tint(chart.Ink, 0.45)),
		chart.LineKey(line, chart.Ink, 0.9, limitDashes...),
		chart.LineKey("accepted p50", chart.Ink, 2.2),
		chart.LineKey("accepted p99", chart.Ink, 1),
		chart.LineKey("rejected p50", chart.Ink, 1.5, rejectedDashes...),
		chart.LineKey("rejected p99", chart.Ink, 0.8, rejectedDashes...),
	}
}

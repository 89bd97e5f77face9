package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// marks tell the mixes of one row apart.
var marks = []struct {
	mix, name string
	shape     draw.GlyphDrawer
}{
	{result.MixAccepted, "accepted", dot},
	{result.MixRejected, "rejected", ring{}},
	{result.MixHalf, "half and half", draw.BoxGlyph{}},
}

const (
	markRadius = 4
	costPitch  = 44 // of two rows
)

// ring is a circle's edge, with paper inside.
type ring struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	dot.DrawGlyph(c, style, at)
	c.SetColor(Paper)
	style.Radius -= 1.5
	dot.DrawGlyph(c, style, at)
}

// expense is what a decision of a row cost the server in one mix, with the spread of the rounds about it.
type expense struct {
	us, lowUS, highUS float64
	ratio             *float64 // to the control
}

// expenses are a row's, by the mixes of which the server told.
type expenses struct {
	label string
	sum   float64
	of    map[string]expense
}

func expenseOf(m *result.Mix) expense {
	us := *m.ServerUSPerCall
	e := expense{us, us, us, m.RatioToControl}
	for _, sample := range m.Samples {
		if us := sample.ServerUSPerCall; us != nil {
			e.lowUS, e.highUS = min(e.lowUS, *us), max(e.highUS, *us)
		}
	}
	return e
}

// serverCost shows what a decision costs the server, the cheapest first.
func serverCost(r *result.Document) (*Figure, string) {
	const name = "server-cost"
	var all []expenses
	var lines [][]any
	var control *expense
	top := 0.0
	for _, c := range r.Costs {
		row := expenses{label: c.Algorithm, of: map[string]expense{}}
		for i := range c.Mixes {
			m := &c.Mixes[i]
			if m.ServerUSPerCall == nil {
				continue
			}
			e := expenseOf(m)
			row.of[m.Mix], row.sum, top = e, row.sum+e.us, max(top, e.highUS)
			if c.Algorithm == result.Control && m.Mix == result.MixHalf {
				control = &e
			}
			lines = append(lines, []any{serverName(r), c.Algorithm, m.Mix, e.us, e.lowUS, e.highUS,
				report.OptionalFloat(e.ratio), r.NoiseFloor.ServerUS})
		}
		if len(row.of) > 0 {
			all = append(all, row)
		}
	}
	if all == nil {
		return nil, name + ": the server did not tell what a call cost it"
	}
	slices.SortStableFunc(all, func(a, b expenses) int { return cmp.Compare(a.sum, b.sum) })
	subtitle := fmt.Sprintf("Closed loop, %s, limit %s. Marks: medians of the rounds; lines: their least and most.",
		connections(r), policy(r.Settings.CostLimit))
	if noise := r.NoiseFloor.ServerUS; noise > 1 {
		subtitle += " The same code measured twice differs by up to " +
			strings.Replace(report.Above(noise), "%", " %", 1) + "."
	}
	f := benchFigure(r, nil, name, "What does a decision cost the server?", subtitle)
	f.Data = rows("server,algorithm,mix,server_us_per_decision,least_of_rounds_us,most_of_rounds_us,ratio_to_control,"+
		"noise_floor_ratio", lines)
	for _, m := range marks {
		sample := draw.GlyphStyle{Color: Ink, Radius: markRadius, Shape: m.shape}
		f.keys = append(f.keys, key{m.name, &plotter.Scatter{GlyphStyle: sample}})
	}
	if control != nil {
		f.keys = append(f.keys, areaKey("the control, within the noise", tint(Color(result.Control), 0.45)))
	}
	f.x, f.height = Amounts(top, 60, "server µs per decision"), float64(costPitch*len(all))
	f.strips = []Axis{{Min: 0.5 - float64(len(all)), Max: 0.5, Ticks: func(float64) []plot.Tick { return nil }}}
	f.columns = []column{{draw: []func(*panel){func(p *panel) {
		p.Add(&plotter.Grid{Vertical: gridLine})
		if control != nil {
			p.control(control.us, max(r.NoiseFloor.ServerUS, 1), f.strips[0].Min, f.x.Max)
		}
		p.expenses(all, f.x.Max)
	}}}}
	return f, ""
}

// expenses draws a row below the other: row i is at -i.
func (p *panel) expenses(all []expenses, end float64) {
	p.Y.Tick.Label.Font, p.Y.Tick.Label.Color = headLetters.Font, Ink
	var names []plot.Tick
	for i, row := range all {
		names = append(names, plot.Tick{Value: -float64(i), Label: shorten(row.label, 200, headLetters)})
		if i > 0 {
			p.Add(across{0.5 - float64(i), gridLine})
		}
		c := Color(row.label)
		if row.label == result.Control {
			c = Reference // on the grey band
		}
		for k, m := range marks {
			e, told := row.of[m.mix]
			if !told {
				continue
			}
			y := 0.25 - float64(i) - 0.25*float64(k)
			p.line(plotter.XYs{{X: e.lowUS, Y: y}, {X: e.highUS, Y: y}}, tint(c, 0.55), 2.2)
			p.dots(plotter.XYs{{X: e.us, Y: y}}, markRadius, c, m.shape)
			p.beside(microseconds(e.us), plotter.XY{X: end, Y: y}, vg.Point{X: 48}, draw.XRight)
			if e.ratio != nil && row.label != result.Control {
				p.beside(report.Significant(*e.ratio)+" ×", plotter.XY{X: end, Y: y}, vg.Point{X: 92}, draw.XRight)
			}
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(names)
	p.beside("median", plotter.XY{X: end, Y: 0.5}, vg.Point{X: 48, Y: 9}, draw.XRight)
	p.beside("vs none", plotter.XY{X: end, Y: 0.5}, vg.Point{X: 92, Y: 9}, draw.XRight)
}

// beside writes s at an offset from a point.
func (p *panel) beside(s string, at plotter.XY, offset vg.Point, align text.XAlignment) {
	style := smallLetters
	style.XAlign, style.YAlign = align, draw.YCenter
	p.Add(&plotter.Labels{XYs: plotter.XYs{at}, Labels: []string{s}, TextStyle: []text.Style{style},
		Offset: offset.Add(vg.Point{Y: 1.5})})
}

// control draws what the control costs through all rows, within the band in which the same code can come out.
func (p *panel) control(us, noise, bottom, end float64) {
	low, high := us/noise, min(us*noise, end) // on a noisy machine the band has no end
	p.area(plotter.XYs{{X: low, Y: bottom}, {X: high, Y: bottom}}, plotter.XYs{{X: low, Y: 0.5}, {X: high, Y: 0.5}},
		tint(Color(result.Control), 0.45))
	p.line(plotter.XYs{{X: us, Y: bottom}, {X: us, Y: 0.5}}, Reference, 1.2)
	align := draw.XLeft
	if us > end/2 {
		align = draw.XRight // clear of the figures' heads
	}
	p.beside("the control none "+microseconds(us), plotter.XY{X: us, Y: 0.5}, vg.Point{Y: 9}, align)
}

// microseconds writes three significant digits, all of them, so that a column lines up: 4.10 µs, 18.4 µs, 1.23 ms.
func microseconds(v float64) string {
	if v >= 999.5 {
		return report.Natural(v)
	}
	return report.Significant(v) + " µs"
}

package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is one pair of axes with its lines and labels.
type panel struct {
	*plot.Plot
	color  color.NRGBA   // of its row
	first  bool          // its labels name the lines that all panels have
	lines  []plotter.XYs // lines that labels avoid
	labels []label
}

func newPanel(c color.NRGBA, first bool) *panel {
	p := &panel{Plot: plot.New(), color: c, first: first}
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding, axis.Width, axis.Tick.Length = 0, 0, 0
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Handler = smallLetters.Font, smallLetters.Handler
		axis.Tick.Label.Font, axis.Tick.Label.Handler = smallLetters.Font, smallLetters.Handler
		axis.Label.TextStyle.Color, axis.Tick.Label.Color = Quiet, Quiet
		axis.Tick.Color, axis.Tick.Width = Quiet, 0.9
		axis.Color = Quiet
	}
	p.X.Width, p.X.Tick.Length, p.Y.Label.Padding, p.X.Label.Padding = 0.9, 5, 4, 2
	return p
}

// scale sets the panel's axes, and draws a line across it at each mark of the vertical axis. left and lowest determine
// whether the vertical and the horizontal axis have labels.
func (p *panel) scale(x, y Axis, width, height float64, left, lowest bool) {
	p.X.Scale, p.Y.Scale = x, y
	p.X.Min, p.Y.Min = x.Min, y.Min
	p.X.Max, p.Y.Max = 2*x.middle()-x.Min, 2*y.middle()-y.Min // to gonum/plot the middle is the mean of the ends
	ticks := y.Ticks(height)
	p.X.Tick.Marker = plot.ConstantTicks(marked(x.Ticks(width), lowest))
	p.Y.Tick.Marker = plot.ConstantTicks(marked(ticks, left))
	if left {
		p.Y.Label.Text = y.Unit
	}
	if lowest {
		p.X.Label.Text = x.Unit
	}
	for _, t := range ticks {
		if y.Share(t.Value) > 0 {
			p.Add(across{t.Value, gridLine})
		}
	}
}

// marked returns ticks with or without their labels.
func marked(ticks []plot.Tick, with bool) []plot.Tick {
	var all []plot.Tick
	for _, t := range ticks {
		if !with {
			t.Label = ""
		}
		all = append(all, t)
	}
	return all
}

// still is a plotter that does not change the range of the axes.
type still struct{ plot.Plotter }

// across is a line across the panel at a value.
type across struct {
	at    float64
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (l across) Plot(c draw.Canvas, p *plot.Plot) {
	y := c.Y(p.Y.Norm(l.at))
	c.StrokeLine2(l.style, c.Min.X, y, c.Max.X, y)
}

// line draws a line that labels avoid.
func (p *panel) line(xys plotter.XYs, c color.Color, width vg.Length, dashes ...vg.Length) {
	if xys == nil {
		return
	}
	p.Add(still{&plotter.Line{XYs: xys, LineStyle: draw.LineStyle{Color: c, Width: width, Dashes: dashes}}})
	p.lines = append(p.lines, xys)
}

// fill draws the area between a line and the axis.
func (p *panel) fill(xys plotter.XYs, c color.Color) {
	p.Add(still{&plotter.Line{XYs: xys, FillColor: c}})
}

// area draws the area between two lines over the same places.
func (p *panel) area(one, other plotter.XYs, c color.Color) {
	ring := append(plotter.XYs{}, one...)
	for i := range other {
		ring = append(ring, other[len(other)-1-i])
	}
	p.Add(still{&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: c}})
}

// dot marks a point.
func (p *panel) dot(at plotter.XY) {
	style := draw.GlyphStyle{Color: p.color, Radius: 2.6, Shape: draw.CircleGlyph{}}
	p.Add(still{&plotter.Scatter{XYs: plotter.XYs{at}, GlyphStyle: style}})
}

var gridLine = draw.LineStyle{Color: Grid, Width: 0.8}

// limitDashes mark the limit, rejectedDashes the rejected requests.
var limitDashes, rejectedDashes = []vg.Length{4, 3}, []vg.Length{4, 2.5}

// level returns a horizontal line at v, as long as another line.
func level(line plotter.XYs, v float64) plotter.XYs {
	return plotter.XYs{{X: line[0].X, Y: v}, {X: line[len(line)-1].X, Y: v}}
}

// GlyphBoxes reserves room for a head.
func (h head) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: headHeight}}}}
}

// head is the text above a column: the label beside a patch of its colour, and the fact. The label itself is not
// coloured, because text in a light colour is hard to read.
type head column

// Plot implements plot.Plotter.
func (h head) Plot(c draw.Canvas, _ *plot.Plot) {
	at, width := vg.Point{X: c.Min.X, Y: c.Max.Y + 20.5}, c.Size().X
	c.FillPolygon(h.color, []vg.Point{at, {X: at.X + 9, Y: at.Y}, {X: at.X + 9, Y: at.Y + 9}, {X: at.X, Y: at.Y + 9}})
	style, room := headLetters, width-14
	if style.Width(h.label) > room { // smaller, and a little into the gap beside the column, before it is cut
		style, room = tightLetters, room+10
	}
	set(c, style, vg.Point{X: at.X + 14, Y: at.Y + 0.5}, shorten(h.label, room, style))
	set(c, smallLetters, vg.Point{X: at.X, Y: at.Y - 13.5}, shorten(h.fact, width, smallLetters))
}

// key is one entry of a legend: a sample, and what it means.
type key struct {
	text   string
	sample plot.Thumbnailer
}

func lineKey(text string, c color.Color, width vg.Length, dashes ...vg.Length) key {
	return key{text, &plotter.Line{LineStyle: draw.LineStyle{Color: c, Width: width, Dashes: dashes}}}
}

func areaKey(text string, c color.Color) key { return key{text, &plotter.Polygon{Color: c}} }

// legend writes the keys side by side, in as many rows as they need.
func legend(keys []key) block {
	const width, height, gap, below = 20, 16, 16, 4
	if keys == nil {
		return block{draw: func(draw.Canvas) {}}
	}
	var places []vg.Point // from the upper left corner
	var at vg.Point
	for _, k := range keys {
		wide := width + 5 + smallLetters.Width(k.text)
		if at.X > 0 && at.X+wide > pageWidth-2*margin {
			at = vg.Point{Y: at.Y - height}
		}
		places = append(places, at)
		at.X += wide + gap
	}
	return block{height - at.Y + below, func(c draw.Canvas) {
		for i, k := range keys {
			middle := vg.Point{X: c.Min.X, Y: c.Max.Y - 6}.Add(places[i])
			sample := vg.Rectangle{Min: vg.Point{Y: -4.5}, Max: vg.Point{X: width, Y: 4.5}}
			k.sample.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: sample.Add(middle)})
			set(c, smallLetters, middle.Add(vg.Point{X: width + 5, Y: -3.5}), k.text)
		}
	}}
}

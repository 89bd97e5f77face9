package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"ratelab/internal/message"
)

// Pen draws on a canvas of gonum/plot, whose y axis points up, and remembers the texts.
type Pen struct {
	canvas vg.Canvas
	height float64
	texts  []Text
	strays []Point // of shapes, beyond the page
}

func (p *Pen) at(q Point) vg.Point { return vg.Point{X: vg.Length(q.X), Y: vg.Length(p.height - q.Y)} }

func (p *Pen) path(points []Point) vg.Path {
	var path vg.Path
	for i, q := range points {
		if q.X < 0 || q.X > PageWidth || q.Y < 0 || q.Y > p.height {
			p.strays = append(p.strays, q)
		}
		if i == 0 {
			path.Move(p.at(q))
			continue
		}
		path.Line(p.at(q))
	}
	return path
}

// Fill fills the area within the points.
func (p *Pen) Fill(points []Point, c color.NRGBA) {
	if len(points) < 3 {
		return
	}
	path := p.path(points)
	path.Close()
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

// Stroke draws a line through the points, in dashes and gaps of the lengths given, if any.
func (p *Pen) Stroke(points []Point, c color.NRGBA, width float64, dashes ...float64) {
	pattern := make([]vg.Length, len(dashes))
	for i, d := range dashes {
		pattern[i] = vg.Length(d)
	}
	p.canvas.SetColor(c)
	p.canvas.SetLineWidth(vg.Length(width))
	p.canvas.SetLineDash(pattern, 0)
	p.canvas.Stroke(p.path(points))
}

// Rect fills a box.
func (p *Pen) Rect(b Box, c color.NRGBA) {
	p.Fill([]Point{{b.Left, b.Top}, {b.Right, b.Top}, {b.Right, b.Bottom}, {b.Left, b.Bottom}}, c)
}

// Dot fills a circle about q.
func (p *Pen) Dot(q Point, radius float64, c color.NRGBA) {
	var path vg.Path
	path.Move(p.at(Point{q.X + radius, q.Y}))
	path.Arc(p.at(q), vg.Length(radius), 0, 2*math.Pi)
	path.Close()
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

// Ring draws a circle's edge about q, with paper inside.
func (p *Pen) Ring(q Point, radius float64, c color.NRGBA) {
	p.Dot(q, radius, c)
	p.Dot(q, radius-1.5, Paper)
}

// Diamond fills a square that stands on its corner.
func (p *Pen) Diamond(q Point, radius float64, c color.NRGBA) {
	p.Fill([]Point{{q.X, q.Y - radius}, {q.X + radius, q.Y}, {q.X, q.Y + radius}, {q.X - radius, q.Y}}, c)
}

// Write puts s with its base line's left end at q.
func (p *Pen) Write(s string, q Point, l Lettering) {
	if s == "" {
		return
	}
	s = message.Visible(s)
	p.canvas.SetColor(l.color)
	p.canvas.FillString(l.face(), p.at(q), s)
	w := l.Width(s)
	p.texts = append(p.texts, Text{l.extent(w, q), s, w})
}

// WriteRight puts s with its base line's right end at q.
func (p *Pen) WriteRight(s string, q Point, l Lettering) { p.Write(s, Point{q.X - l.Width(s), q.Y}, l) }

// WriteCentered puts s with its base line's middle at q.
func (p *Pen) WriteCentered(s string, q Point, l Lettering) {
	p.Write(s, Point{q.X - l.Width(s)/2, q.Y}, l)
}

// WriteUpwards puts s turned by 90° to the left, centred on q.
func (p *Pen) WriteUpwards(s string, q Point, l Lettering) {
	s = message.Visible(s)
	w := l.Width(s)
	p.canvas.Push()
	p.canvas.Translate(p.at(Point{q.X, q.Y + w/2}))
	p.canvas.Rotate(math.Pi / 2)
	p.canvas.SetColor(l.color)
	p.canvas.FillString(l.face(), vg.Point{}, s)
	p.canvas.Pop()
	turned := Box{q.X - ascent*l.size, q.Y - w/2, q.X + descent*l.size, q.Y + w/2}
	p.texts = append(p.texts, Text{turned, s, w})
}

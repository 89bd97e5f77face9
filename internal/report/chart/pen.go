package chart

import (
	"image/color"
	"math"
	"sync"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// point and box are in pixels from the page's upper left corner, y downwards.
type point struct{ x, y float64 }

type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

// lettering is how a text looks.
type lettering struct {
	size  float64 // px
	bold  bool
	color color.NRGBA
}

// The page's letterings. Nothing is below 10 px, so that all of it is legible when the page, 720 px wide, is
// shown at 700.
var (
	titleLetters  = lettering{15.5, true, ink}
	panelLetters  = lettering{11.5, true, ink}
	figureLetters = lettering{11, true, ink}
	plainLetters  = lettering{11.5, false, quiet}
	smallLetters  = lettering{10.5, false, quiet}
	footLetters   = lettering{10, false, quiet}
)

// ascent and descent are the parts of the size above and below the base line that Liberation Sans's capitals,
// digits and tails fill.
const ascent, descent = 0.74, 0.22

// fonts are those that gonum/plot carries with it: the same outlines on every machine. They are parsed at the
// first text, so that a command that draws nothing does not wait for them.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func (l lettering) face() font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(l.size)}
	if l.bold {
		f.Weight = xfont.WeightBold
	}
	return fonts().Lookup(f, f.Size)
}

func (l lettering) width(s string) float64 {
	face := l.face()
	return float64(face.Width(s))
}

// textBox is a text as drawn. The SVG needs its width, and a test that no two of them meet.
type textBox struct {
	box
	text  string
	width float64 // along the base line, before any rotation
}

// pen draws on a canvas of gonum/plot, whose y axis points up, and remembers the texts.
type pen struct {
	canvas vg.Canvas
	height float64
	texts  []textBox
}

func (p *pen) at(q point) vg.Point { return vg.Point{X: vg.Length(q.x), Y: vg.Length(p.height - q.y)} }

func (p *pen) path(points []point) vg.Path {
	var path vg.Path
	for i, q := range points {
		if i == 0 {
			path.Move(p.at(q))
			continue
		}
		path.Line(p.at(q))
	}
	return path
}

func (p *pen) fill(points []point, c color.NRGBA) {
	if len(points) < 3 {
		return
	}
	path := p.path(points)
	path.Close()
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

func (p *pen) stroke(points []point, c color.NRGBA, width float64, dashes ...vg.Length) {
	p.canvas.SetColor(c)
	p.canvas.SetLineWidth(vg.Length(width))
	p.canvas.SetLineDash(dashes, 0)
	p.canvas.Stroke(p.path(points))
}

func (p *pen) rect(b box, c color.NRGBA) {
	p.fill([]point{{b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}}, c)
}

func (p *pen) dot(q point, radius float64, c color.NRGBA) {
	var path vg.Path
	path.Move(p.at(point{q.x + radius, q.y}))
	path.Arc(p.at(q), vg.Length(radius), 0, 2*math.Pi)
	path.Close()
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

// write puts s with its base line's left end at q.
func (p *pen) write(s string, q point, l lettering) {
	if s == "" {
		return
	}
	p.canvas.SetColor(l.color)
	p.canvas.FillString(l.face(), p.at(q), s)
	w := l.width(s)
	p.texts = append(p.texts, textBox{textExtent(w, q, l), s, w})
}

func (p *pen) writeRight(s string, q point, l lettering) { p.write(s, point{q.x - l.width(s), q.y}, l) }

func (p *pen) writeCentered(s string, q point, l lettering) {
	p.write(s, point{q.x - l.width(s)/2, q.y}, l)
}

// writeUpwards puts s turned by 90° to the left, centred on q.
func (p *pen) writeUpwards(s string, q point, l lettering) {
	w := l.width(s)
	p.canvas.Push()
	p.canvas.Translate(p.at(point{q.x, q.y + w/2}))
	p.canvas.Rotate(math.Pi / 2)
	p.canvas.SetColor(l.color)
	p.canvas.FillString(l.face(), vg.Point{}, s)
	p.canvas.Pop()
	turned := box{q.x - ascent*l.size, q.y - w/2, q.x + descent*l.size, q.y + w/2}
	p.texts = append(p.texts, textBox{turned, s, w})
}

func textExtent(width float64, q point, l lettering) box {
	return box{q.x, q.y - ascent*l.size, q.x + width, q.y + descent*l.size}
}

package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// label is a text near the point that it describes. It gets the first place near its points without lines and other
// labels, or else the place with the fewest line points. A label that would cover another one is left out.
type label struct {
	text  string
	style text.Style
	near  plotter.XYs
	below bool // rather than above
}

func (p *panel) label(s string, style text.Style, near ...plotter.XY) {
	p.labels = append(p.labels, label{text: s, style: style, near: near})
}

// placed draws a panel's labels, after everything else.
type placed struct {
	lines  []plotter.XYs
	labels []label
}

// Plot implements plot.Plotter.
func (l placed) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(q plotter.XY) vg.Point { return vg.Point{X: x(q.X), Y: min(y(q.Y), c.Max.Y)} }
	s := space{inside: c.Rectangle}
	for _, line := range l.lines {
		for i := 1; i < len(line); i++ {
			s.avoid(at(line[i-1]), at(line[i]))
		}
	}
	for _, label := range l.labels {
		var all [][]vg.Point
		for _, q := range label.near {
			all = append(all, label.around(at(q)))
		}
		var places []vg.Point // the nearest of all points first
		for i := range all[0] {
			for _, of := range all {
				places = append(places, of[i])
			}
		}
		if q, free := s.place(label, places); free {
			set(c, label.style, q, label.text)
		}
	}
}

// around returns places around a point, the best first, as left ends of base lines.
func (l label) around(q vg.Point) []vg.Point {
	width := l.style.Width(l.text)
	var above, below []vg.Point
	for _, away := range []vg.Length{6, 11, 17, 24, 32} {
		for _, x := range []vg.Length{-width / 2, 2, -width - 2} {
			above = append(above, vg.Point{X: q.X + x, Y: q.Y + away})
			below = append(below, vg.Point{X: q.X + x, Y: q.Y - away - 9})
		}
	}
	beside := []vg.Point{{X: q.X + 7, Y: q.Y - 4}, {X: q.X - width - 7, Y: q.Y - 4}}
	if l.below {
		return slices.Concat(below, beside, above)
	}
	return slices.Concat(above[:3], beside, below[:3], above[3:], below[3:])
}

// space is the free space of a panel.
type space struct {
	inside   vg.Rectangle
	occupied []vg.Rectangle // by labels
	points   []vg.Point     // of the lines
}

// avoid adds the points of a line segment, so dense that no label fits between two.
func (s *space) avoid(from, to vg.Point) {
	const sampling = 1.5
	n := int(math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y))/sampling) + 1
	for i := range n + 1 {
		s.points = append(s.points, from.Add(to.Sub(from).Scale(vg.Length(i)/vg.Length(n))))
	}
}

// place takes the best of the places, moved into the panel; free is false if another label covers every one.
func (s *space) place(l label, places []vg.Point) (best vg.Point, free bool) {
	least := math.MaxInt
	var box vg.Rectangle
	width, size := l.style.Width(l.text), l.style.Font.Size
	for _, q := range places {
		q.X = max(min(q.X, s.inside.Max.X-width-1), s.inside.Min.X+2)
		q.Y = min(max(q.Y, s.inside.Min.Y+descent*size+1), s.inside.Max.Y-ascent*size)
		b := vg.Rectangle{Min: vg.Point{Y: -descent * size}, Max: vg.Point{X: width, Y: ascent * size}}.Add(q)
		if cost := s.cost(b); cost < least {
			best, box, least = q, b, cost
		}
	}
	if least >= collision {
		return best, false
	}
	s.occupied = append(s.occupied, box)
	return best, true
}

// collision is the cost of covering another label: more than the number of a line's points within a label.
const collision = 1 << 20

func (s *space) cost(b vg.Rectangle) (cost int) {
	for _, o := range s.occupied {
		if b.Min.X < o.Max.X && o.Min.X < b.Max.X && b.Min.Y < o.Max.Y && o.Min.Y < b.Max.Y {
			cost += collision
		}
	}
	for _, q := range s.points {
		if q.X > b.Min.X-2 && q.X < b.Max.X+2 && q.Y > b.Min.Y-1 && q.Y < b.Max.Y+2 {
			cost++
		}
	}
	return cost
}

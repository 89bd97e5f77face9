package chart

import (
	"cmp"
	"math"
	"slices"
)

// Labels stand beside what they name, wherever that is free: each has a list of places, best first, and takes
// the first that meets no curve and no other label, or else the one that meets least. One that could only
// stand on another label is left out.

// Place writes text at the best of the places, which are ends of base lines.
func (a *Axes) Place(text string, l Lettering, places []Point) {
	width := l.Width(text)
	best, least := Point{}, math.MaxInt
	for _, q := range places {
		q = a.inside(q, width, l)
		if cost := a.cost(l.extent(width, q)); cost < least {
			best, least = q, cost
		}
		if least == 0 {
			break
		}
	}
	if least >= collision {
		return
	}
	a.Pen.Write(text, best, l)
	a.occupied = append(a.occupied, l.extent(width, best))
}

// PlaceAll writes a label at each of the points, none left out: where there is no room beside a point its label stands
// elsewhere, at the end of a leader. The points themselves are kept free.
func (a *Axes) PlaceAll(points []LineEnd, radius float64, l Lettering) {
	for _, p := range points {
		a.occupied = append(a.occupied, Box{p.At.X - radius, p.At.Y - radius, p.At.X + radius, p.At.Y + radius})
	}
	for _, p := range points {
		if p.Label == "" {
			continue
		}
		width := l.Width(p.Label)
		q, beside := a.free(p.At, width, radius, l)
		if !beside {
			a.Pen.Stroke([]Point{p.At, a.nearest(l.extent(width, q), p.At)}, Tint(p.Color, 0.6), 0.8)
		}
		a.Pen.Write(p.Label, q, l)
		a.occupied = append(a.occupied, l.extent(width, q))
	}
}

// free finds the place for a point's label: in rings about the point the nearest that meets no label and no other
// point, or else the nearest such place of the whole panel, or else the one that meets least.
func (a *Axes) free(p Point, width, radius float64, l Lettering) (best Point, beside bool) {
	least := math.MaxInt
	consider := func(q Point, near bool) {
		q = a.inside(q, width, l)
		if cost := a.cost(l.extent(width, q)); cost < least {
			best, beside, least = q, near, cost
		}
	}
	for ring, away := range []float64{3, 14, 26, 40, 56, 74, 94, 116, 140} {
		for i, q := range a.ring(p, width, radius+away, l) {
			consider(q, ring == 0 && i < 2)
		}
		if least < collision {
			return best, beside
		}
	}
	for _, q := range a.everywhere(p, width) {
		if consider(q, false); least < collision {
			break
		}
	}
	return best, beside
}

// everywhere gives places all over the panel, the nearest to p first.
func (a *Axes) everywhere(p Point, width float64) []Point {
	const step = 4.0
	var places []Point
	for y := a.Top; y <= a.Bottom; y += step {
		for x := a.Left; x <= a.Right-width; x += step {
			places = append(places, Point{x, y})
		}
	}
	away := func(q Point) float64 { return math.Hypot(q.X+width/2-p.X, q.Y-p.Y) }
	slices.SortStableFunc(places, func(q, r Point) int { return cmp.Compare(away(q), away(r)) })
	return places
}

// ring gives places at a distance from a point: beside it, above and below, then between.
func (a *Axes) ring(p Point, width, away float64, l Lettering) []Point {
	middle := p.Y + (ascent-descent)*l.size/2
	above, below := p.Y-away-descent*l.size, p.Y+away+ascent*l.size
	return []Point{
		{p.X + away, middle}, {p.X - away - width, middle},
		{p.X - 3, above}, {p.X - 3, below}, {p.X - width/2, above}, {p.X - width/2, below},
		{p.X + away*0.7, p.Y - away*0.7}, {p.X + away*0.7, p.Y + away*0.7 + ascent*l.size},
		{p.X - away*0.7 - width, p.Y - away*0.7}, {p.X - away*0.7 - width, p.Y + away*0.7 + ascent*l.size},
	}
}

// nearest is the point of a box that a leader from p ends at.
func (a *Axes) nearest(b Box, p Point) Point {
	return Point{max(b.Left-2, min(p.X, b.Right+2)), max(b.Top, min(p.Y, b.Bottom))}
}

// collision is the cost of covering another label: more than any curve can have points within a label.
const collision = 1 << 20

func (a *Axes) cost(b Box) int {
	cost := 0
	for _, other := range a.occupied {
		if b.overlaps(other) {
			cost += collision
		}
	}
	roomy := Box{b.Left - 2, b.Top - 2, b.Right + 2, b.Bottom + 1}
	for _, q := range a.curves {
		if q.X > roomy.Left && q.X < roomy.Right && q.Y > roomy.Top && q.Y < roomy.Bottom {
			cost++
		}
	}
	return cost
}

// inside moves a place so that the text stays within the panel.
func (a *Axes) inside(q Point, width float64, l Lettering) Point {
	q.X = max(min(q.X, a.Right-width-1), a.Left+2)
	q.Y = max(min(q.Y, a.Bottom-descent*l.size-1), a.Top+ascent*l.size)
	return q
}

// Around gives places about a marked point: above it, beside it, then below.
func (a *Axes) Around(q Point, width float64) []Point {
	return []Point{
		{q.X - width/2, q.Y - 6}, {q.X + 2, q.Y - 6}, {q.X - width - 2, q.Y - 6},
		{q.X + 7, q.Y + 4}, {q.X - width - 7, q.Y + 4},
		{q.X + 6, q.Y + 15}, {q.X - width - 6, q.Y + 15}, {q.X - width/2, q.Y + 16},
	}
}

// AlongLine gives places above and below a level line, from its left end to its right.
func (a *Axes) AlongLine(y, width float64) []Point {
	var places []Point
	for _, dy := range []float64{-4, 12} {
		for _, share := range []float64{0, 1, 0.5, 0.25, 0.75} {
			places = append(places, Point{a.Left + 3 + share*(a.Right-a.Left-width-6), y + dy})
		}
	}
	return places
}

// AlongTop gives places on a curve's highest parts.
func (a *Axes) AlongTop(line []Point, width float64) []Point {
	highest := line[0]
	for _, q := range line {
		if q.Y < highest.Y {
			highest = q
		}
	}
	return []Point{
		{highest.X + 1, highest.Y - 4}, {highest.X - width/2, highest.Y - 4}, {highest.X - width - 1, highest.Y - 4},
		{highest.X - width - 5, highest.Y + 9}, {highest.X + 5, highest.Y + 9},
	}
}

// AtEnd gives places for the label of a line that ends at q, the panel's right edge: on its own side first, as
// near as the line's slope allows, then on the other.
func (a *Axes) AtEnd(q Point, width float64, above bool) []Point {
	end := q.X - width - 2
	var over, under []Point
	for _, dy := range []float64{5, 9, 14, 20, 27, 35} {
		over = append(over, Point{end, q.Y - dy})
		under = append(under, Point{end, q.Y + dy + 9})
	}
	for _, back := range []float64{12, 30, 60, 90} {
		over = append(over, Point{end - back, q.Y - 5})
		under = append(under, Point{end - back, q.Y + 14})
	}
	if above {
		return append(over, under...)
	}
	return append(under, over...)
}

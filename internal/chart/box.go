package chart

import "math"

// Point is a place on the page, in px from its upper left corner, y downwards.
type Point struct{ X, Y float64 }

// At is the point at x and y.
func At(x, y float64) Point { return Point{x, y} }

// Box is a rectangle on the page, in px from its upper left corner.
type Box struct{ Left, Top, Right, Bottom float64 }

func (b Box) overlaps(c Box) bool {
	return b.Left < c.Right && c.Left < b.Right && b.Top < c.Bottom && c.Top < b.Bottom
}

// Simplify leaves out the points that are nowhere further from the rest of the line than can be seen.
// Source: Douglas and Peucker, "Algorithms for the reduction of the number of points", 1973.
func Simplify(line []Point) []Point {
	if len(line) < 3 {
		return line
	}
	first, last := line[0], line[len(line)-1]
	farthest, distance := 0, 0.0
	for i, q := range line[1 : len(line)-1] {
		if d := fromLine(q, first, last); d > distance {
			farthest, distance = i+1, d
		}
	}
	if distance <= unseen {
		return []Point{first, last}
	}
	head := Simplify(line[:farthest+1])
	return append(head[:len(head)-1:len(head)-1], Simplify(line[farthest:])...)
}

// unseen is a deviation, in pixels, below the precision of the SVG's coordinates.
const unseen = 0.05

// fromLine is the distance of q from the line through p and r, or from p where the two are one.
func fromLine(q, p, r Point) float64 {
	length := math.Hypot(r.X-p.X, r.Y-p.Y)
	if length == 0 {
		return math.Hypot(q.X-p.X, q.Y-p.Y)
	}
	return math.Abs((r.X-p.X)*(q.Y-p.Y)-(r.Y-p.Y)*(q.X-p.X)) / length
}

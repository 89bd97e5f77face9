package chart

import "math"

// Axis maps values to a side of a panel.
type Axis struct {
	Unit  string
	Share func(v float64) float64       // 0 where the axis starts, 1 where it ends
	Ticks func(lengthPx float64) []Tick // as many as have room
}

// Tick is a value on an axis and what stands beside it.
type Tick struct {
	At    float64
	Label string
}

// Axes maps one panel's values to the page, and finds free places for its labels.
type Axes struct {
	Pen *Pen
	Box // of the data
	Horizontal,
	Vertical Axis

	occupied []Box   // by labels
	curves   []Point // points along what was drawn, at most sampling pixels apart
}

// sampling is the distance of the points at which a label looks for a curve below it.
const sampling = 1.5

// X is where a value of the horizontal axis stands.
func (a *Axes) X(v float64) float64 { return a.Left + a.Horizontal.Share(v)*(a.Right-a.Left) }

// Y is where a value of the vertical axis stands. It clips at the upper edge: where a value is above the axis, its
// curve runs along the edge.
func (a *Axes) Y(v float64) float64 {
	return max(a.Bottom-a.Vertical.Share(v)*(a.Bottom-a.Top), a.Top)
}

// At is the point of a pair of values.
func (a *Axes) At(x, y float64) Point { return Point{a.X(x), a.Y(y)} }

// Level is the line across the panel at a value.
func (a *Axes) Level(v float64) []Point { return []Point{{a.Left, a.Y(v)}, {a.Right, a.Y(v)}} }

// ToBase closes a line with the horizontal axis to an area.
func (a *Axes) ToBase(line []Point) []Point {
	area := append([]Point{}, line...)
	return append(area, Point{line[len(line)-1].X, a.Bottom}, Point{line[0].X, a.Bottom})
}

// Reserve keeps labels off a box, as if a label stood there.
func (a *Axes) Reserve(b Box) { a.occupied = append(a.occupied, b) }

// Avoid keeps labels off the lines.
func (a *Axes) Avoid(lines ...[]Point) {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			p, q := line[i-1], line[i]
			n := int(math.Hypot(q.X-p.X, q.Y-p.Y)/sampling) + 1
			for j := 0; j <= n; j++ {
				t := float64(j) / float64(n)
				a.curves = append(a.curves, Point{p.X + t*(q.X-p.X), p.Y + t*(q.Y-p.Y)})
			}
		}
	}
}

package chart

import "math"

// axes maps one panel's time and values to the page, and finds free places for its labels.
type axes struct {
	pen *pen
	box // of the data
	spanUS,
	binUS float64
	scale  float64 // the value at the upper edge
	taken  []box   // by labels
	curves []point // points along what was drawn, at most sampling pixels apart
}

// sampling is the distance of the points at which a label looks for a curve below it.
const sampling = 1.5

func (a *axes) x(us float64) float64 { return a.left + us/a.spanUS*(a.right-a.left) }

// y clips at the upper edge: where a value is above the axis, its curve runs along the edge.
func (a *axes) y(v float64) float64 {
	return max(a.bottom-v/a.scale*(a.bottom-a.top), a.top)
}

// steps draws a value that holds for a whole bin; equal neighbours become one line.
func (a *axes) steps(values []float64, binUS float64) []point {
	line := []point{{a.left, a.y(values[0])}}
	for i := 1; i < len(values); i++ {
		if values[i] != values[i-1] {
			x := a.x(float64(i) * binUS)
			line = append(line, point{x, a.y(values[i-1])}, point{x, a.y(values[i])})
		}
	}
	return append(line, point{a.right, a.y(values[len(values)-1])})
}

// rise draws a total that starts at nothing and reaches each value at its bin's end.
func (a *axes) rise(totals []float64, binUS float64) []point {
	line := []point{{a.left, a.y(0)}}
	for i, v := range totals {
		line = append(line, point{min(a.x(float64(i+1)*binUS), a.right), a.y(v)})
	}
	return simplify(line)
}

// profile draws a level that changes within the bins, from the middle of one to the middle of the next.
// Note: steps, which say no more than is known, turn every slope into a saw.
func (a *axes) profile(values []float64, binUS float64) []point {
	line := []point{{a.left, a.y(values[0])}}
	for i, v := range values {
		line = append(line, point{a.binMiddle(i, binUS), a.y(v)})
	}
	return simplify(append(line, point{a.right, a.y(values[len(values)-1])}))
}

func (a *axes) binMiddle(i int, binUS float64) float64 {
	return min(a.x((float64(i)+0.5)*binUS), a.right)
}

// simplify leaves out the points that are nowhere further from the rest of the line than unseen.
// Source: Douglas and Peucker, "Algorithms for the reduction of the number of points", 1973.
func simplify(line []point) []point {
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
		return []point{first, last}
	}
	head := simplify(line[:farthest+1])
	return append(head[:len(head)-1:len(head)-1], simplify(line[farthest:])...)
}

// unseen is a deviation, in pixels, below the precision of the SVG's coordinates.
const unseen = 0.05

// fromLine is the distance of q from the line through p and r, or from p where the two are one.
func fromLine(q, p, r point) float64 {
	length := math.Hypot(r.x-p.x, r.y-p.y)
	if length == 0 {
		return math.Hypot(q.x-p.x, q.y-p.y)
	}
	return math.Abs((r.x-p.x)*(q.y-p.y)-(r.y-p.y)*(q.x-p.x)) / length
}

// toBase closes a line with the time axis to an area.
func (a *axes) toBase(line []point) []point { return a.closedAt(line, 0) }

func (a *axes) closedAt(line []point, v float64) []point {
	area := append([]point{}, line...)
	return append(area, point{line[len(line)-1].x, a.y(v)}, point{line[0].x, a.y(v)})
}

// avoid keeps labels off the lines.
func (a *axes) avoid(lines ...[]point) {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			p, q := line[i-1], line[i]
			n := int(math.Hypot(q.x-p.x, q.y-p.y)/sampling) + 1
			for j := 0; j <= n; j++ {
				t := float64(j) / float64(n)
				a.curves = append(a.curves, point{p.x + t*(q.x-p.x), p.y + t*(q.y-p.y)})
			}
		}
	}
}

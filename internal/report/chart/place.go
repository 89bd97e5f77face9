package chart

import "math"

// Labels stand beside what they name, wherever that is free: each has a list of places, best first, and takes
// the first that meets no curve and no other label, or else the one that meets least. One that could only
// stand on another label is left out.

// place writes text at the best of the places, which are ends of base lines.
func (a *axes) place(text string, l lettering, places []point) {
	width := l.width(text)
	best, least := point{}, math.MaxInt
	for _, q := range places {
		q = a.inside(q, width, l)
		if cost := a.cost(textExtent(width, q, l)); cost < least {
			best, least = q, cost
		}
		if least == 0 {
			break
		}
	}
	if least >= collision {
		return
	}
	a.pen.write(text, best, l)
	a.taken = append(a.taken, textExtent(width, best, l))
}

// collision is the cost of covering another label: more than any curve can have points within a label.
const collision = 1 << 20

func (a *axes) cost(b box) int {
	cost := 0
	for _, other := range a.taken {
		if b.overlaps(other) {
			cost += collision
		}
	}
	roomy := box{b.left - 2, b.top - 2, b.right + 2, b.bottom + 1}
	for _, q := range a.curves {
		if q.x > roomy.left && q.x < roomy.right && q.y > roomy.top && q.y < roomy.bottom {
			cost++
		}
	}
	return cost
}

// inside moves a place so that the text stays within the panel.
func (a *axes) inside(q point, width float64, l lettering) point {
	q.x = max(min(q.x, a.right-width-1), a.left+2)
	q.y = max(min(q.y, a.bottom-descent*l.size-1), a.top+ascent*l.size)
	return q
}

// around gives places about a marked point: above it, beside it, then below.
func (a *axes) around(q point, width float64) []point {
	return []point{
		{q.x - width/2, q.y - 6}, {q.x + 2, q.y - 6}, {q.x - width - 2, q.y - 6},
		{q.x + 7, q.y + 4}, {q.x - width - 7, q.y + 4},
		{q.x + 6, q.y + 15}, {q.x - width - 6, q.y + 15}, {q.x - width/2, q.y + 16},
	}
}

// alongLine gives places above and below a level line, from its left end to its right.
func (a *axes) alongLine(y, width float64) []point {
	var places []point
	for _, dy := range []float64{-4, 12} {
		for _, share := range []float64{0, 1, 0.5, 0.25, 0.75} {
			places = append(places, point{a.left + 3 + share*(a.right-a.left-width-6), y + dy})
		}
	}
	return places
}

// alongTop gives places on a curve's highest parts.
func (a *axes) alongTop(line []point, width float64) []point {
	highest := line[0]
	for _, q := range line {
		if q.y < highest.y {
			highest = q
		}
	}
	return []point{
		{highest.x + 1, highest.y - 4}, {highest.x - width/2, highest.y - 4}, {highest.x - width - 1, highest.y - 4},
		{highest.x - width - 5, highest.y + 9}, {highest.x + 5, highest.y + 9},
	}
}

// atEnd gives places for the label of a line that ends at q, the panel's right edge: on its own side first, as
// near as the line's slope allows, then on the other.
func (a *axes) atEnd(q point, width float64, above bool) []point {
	end := q.x - width - 2
	var over, under []point
	for _, dy := range []float64{5, 9, 14, 20, 27, 35} {
		over = append(over, point{end, q.y - dy})
		under = append(under, point{end, q.y + dy + 9})
	}
	for _, back := range []float64{12, 30, 60, 90} {
		over = append(over, point{end - back, q.y - 5})
		under = append(under, point{end - back, q.y + 14})
	}
	if above {
		return append(over, under...)
	}
	return append(under, over...)
}

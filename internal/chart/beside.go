package chart

import (
	"cmp"
	"image/color"
	"slices"
)

// LineEnd is the end of a line and what it is called.
type LineEnd struct {
	At    Point
	Color color.NRGBA
	Label string
}

// besideGap is from the data's right edge to the labels: room for the leaders, which are drawn in it.
const besideGap = 22.0

// BesideWidth is the room that labels at the lines' ends need, at most a third of the page: longer ones are cut.
func BesideWidth(labels []string) float64 {
	widest := 0.0
	for _, l := range labels {
		widest = max(widest, SmallLetters.Width(l))
	}
	return min(widest, PageWidth/3) + besideGap + 2
}

// LabelEnds writes the labels to the right of the data, each as near to its line's end as the others let it, and
// draws a leader where it stands elsewhere or its line ends earlier.
func (a *Axes) LabelEnds(ends []LineEnd) {
	ends = slices.Clone(ends)
	slices.SortStableFunc(ends, func(p, q LineEnd) int { return cmp.Compare(p.At.Y, q.At.Y) })
	wanted := make([]float64, len(ends))
	for i, e := range ends {
		wanted[i] = e.At.Y
	}
	for i, y := range spread(wanted, labelPitch, a.Top, a.Bottom) {
		e := ends[i]
		elbow, tip := Point{max(a.Right+4, e.At.X), e.At.Y}, Point{a.Right + besideGap - 4, y}
		a.Pen.Stroke([]Point{e.At, elbow, tip}, Tint(e.Color, 0.6), 0.8)
		a.Pen.Write(Shorten(e.Label, PageWidth/3, SmallLetters), Point{a.Right + besideGap, y + 3.5}, SmallLetters)
	}
}

// labelPitch is the distance of two lines of small letters.
const labelPitch = 13.0

// spread moves the sorted places apart until each is pitch from the next, as little as possible, and within low and
// high where all have room there: neighbours that meet form a block about their mean, until no two blocks meet.
func spread(wanted []float64, pitch, low, high float64) []float64 {
	type block struct {
		first, n int
		at       float64 // of its first
	}
	var blocks []block
	for i, w := range wanted {
		b := block{i, 1, w}
		for {
			sum := 0.0
			for j := range b.n {
				sum += wanted[b.first+j] - float64(j)*pitch
			}
			b.at = max(min(sum/float64(b.n), high-float64(b.n-1)*pitch), low)
			if len(blocks) == 0 {
				break
			}
			last := blocks[len(blocks)-1]
			if last.at+float64(last.n)*pitch <= b.at {
				break
			}
			b = block{first: last.first, n: last.n + b.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	var places []float64
	for _, b := range blocks {
		for j := range b.n {
			places = append(places, b.at+float64(j)*pitch)
		}
	}
	return places
}

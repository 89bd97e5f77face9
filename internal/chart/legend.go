package chart

import "image/color"

// Key is one entry of a legend: a mark, drawn about the middle of a stretch of keyWidth px, and what it means.
type Key struct {
	Text string
	Draw func(p *Pen, middle Point)
}

const (
	keyWidth  = 20.0
	keyGap    = 16.0
	keyHeight = 16.0
)

// LineKey is a stretch of line.
func LineKey(text string, c color.NRGBA, width float64, dashes ...float64) Key {
	return Key{text, func(p *Pen, m Point) {
		p.Stroke([]Point{{m.X - keyWidth/2, m.Y}, {m.X + keyWidth/2, m.Y}}, c, width, dashes...)
	}}
}

// AreaKey is a patch of colour.
func AreaKey(text string, c color.NRGBA) Key {
	return Key{text, func(p *Pen, m Point) { p.Rect(Box{m.X - keyWidth/2, m.Y - 4.5, m.X + keyWidth/2, m.Y + 4.5}, c) }}
}

// LegendHeight is what Legend takes, with a little room below.
func LegendHeight(keys []Key) float64 {
	if len(keys) == 0 {
		return 0
	}
	places := legendPlaces(keys)
	return places[len(places)-1].Y + keyHeight + 2
}

// Legend writes the keys side by side from the upper left corner of b on, in as many rows as they need.
func Legend(keys []Key) func(*Pen, Box) {
	return func(p *Pen, b Box) {
		for i, q := range legendPlaces(keys) {
			left, middle := b.Left+q.X, b.Top+q.Y+5
			keys[i].Draw(p, Point{left + keyWidth/2, middle})
			text := Shorten(keys[i].Text, PageWidth-2*Margin-keyWidth-6, SmallLetters)
			p.Write(text, Point{left + keyWidth + 5, middle + 3.5}, SmallLetters)
		}
	}
}

// legendPlaces are the upper left corners, from that of the whole.
func legendPlaces(keys []Key) []Point {
	places := make([]Point, len(keys))
	var at Point
	for i, k := range keys {
		width := keyWidth + 5 + SmallLetters.Width(k.Text)
		if at.X > 0 && at.X+width > PageWidth-2*Margin {
			at = Point{0, at.Y + keyHeight}
		}
		places[i] = at
		at.X += width + keyGap
	}
	return places
}

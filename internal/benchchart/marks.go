package benchchart

import (
	"image/color"

	"ratelab/internal/drawing"
)

// mark draws one measured figure.
type mark func(p *drawing.Pen, q drawing.Point, c color.NRGBA)

// markRadius is that of every mark, in px.
const markRadius = 4.0

// markOf tells what stands in one row apart: the mixes, or the recordings.
var markOf = [most]mark{
	func(p *drawing.Pen, q drawing.Point, c color.NRGBA) { p.Dot(q, markRadius, c) },
	func(p *drawing.Pen, q drawing.Point, c color.NRGBA) { p.Ring(q, markRadius, c) },
	func(p *drawing.Pen, q drawing.Point, c color.NRGBA) { p.Diamond(q, markRadius+1, c) },
	func(p *drawing.Pen, q drawing.Point, c color.NRGBA) {
		p.Rect(drawing.Box{Left: q.X - 3.4, Top: q.Y - 3.4, Right: q.X + 3.4, Bottom: q.Y + 3.4}, c)
	},
}

func markKey(text string, m mark) drawing.Key {
	return drawing.Key{Text: text, Draw: func(p *drawing.Pen, q drawing.Point) { m(p, q, drawing.Ink) }}
}

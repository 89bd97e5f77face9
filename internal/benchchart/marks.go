package benchchart

import (
	"image/color"

	"ratelab/internal/chart"
)

// mark draws one measured figure.
type mark func(p *chart.Pen, q chart.Point, c color.NRGBA)

// markRadius is that of every mark, in px.
const markRadius = 4.0

// markOf tells what stands in one row apart: the mixes, or the results.
var markOf = [most]mark{
	func(p *chart.Pen, q chart.Point, c color.NRGBA) { p.Dot(q, markRadius, c) },
	func(p *chart.Pen, q chart.Point, c color.NRGBA) { p.Ring(q, markRadius, c) },
	func(p *chart.Pen, q chart.Point, c color.NRGBA) { p.Diamond(q, markRadius+1, c) },
	func(p *chart.Pen, q chart.Point, c color.NRGBA) {
		p.Rect(chart.Box{Left: q.X - 3.4, Top: q.Y - 3.4, Right: q.X + 3.4, Bottom: q.Y + 3.4}, c)
	},
}

func markKey(text string, m mark) chart.Key {
	return chart.Key{Text: text, Draw: func(p *chart.Pen, q chart.Point) { m(p, q, chart.Ink) }}
}

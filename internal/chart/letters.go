package chart

import (
	"image/color"
	"sync"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"ratelab/internal/message"
)

// Lettering is how a text looks.
type Lettering struct {
	size  float64 // px
	bold  bool
	color color.NRGBA
}

// The page's letterings. Nothing is below 10 px, so that all of it is legible when the page, 720 px wide, is
// shown at 700.
var (
	TitleLetters  = Lettering{15.5, true, Ink}
	PanelLetters  = Lettering{11.5, true, Ink}
	FigureLetters = Lettering{11, true, Ink}
	PlainLetters  = Lettering{11.5, false, Quiet}
	SmallLetters  = Lettering{10.5, false, Quiet}
	FootLetters   = Lettering{10, false, Quiet}
)

// ascent and descent are the parts of the size above and below the base line that Liberation Sans's capitals,
// digits and tails fill.
const ascent, descent = 0.74, 0.22

// fonts are those that gonum/plot carries with it: the same outlines on every machine. They are parsed at the
// first text, so that a command that draws nothing does not wait for them.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func (l Lettering) face() font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(l.size)}
	if l.bold {
		f.Weight = xfont.WeightBold
	}
	return fonts().Lookup(f, f.Size)
}

// Width is the length of s along its base line, in px, as it is drawn: made visible.
func (l Lettering) Width(s string) float64 {
	face := l.face()
	return float64(face.Width(message.Visible(s)))
}

// extent is the box of a text of that width whose base line begins at q.
func (l Lettering) extent(width float64, q Point) Box {
	return Box{q.X, q.Y - ascent*l.size, q.X + width, q.Y + descent*l.size}
}

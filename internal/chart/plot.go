package chart

// Plot is one pair of axes across the page. Its Draw is that of a Page, and Total is the page's Height.
type Plot struct {
	Horizontal, Vertical Axis
	Height               float64 // of the data, px
	Beside               float64 // px kept free to the right of the data, for labels at the lines' ends
	Inside               func(*Axes)
}

const (
	plotHead = 10.0 // above the data, for the highest tick's label
	unitLine = 16.0 // the horizontal axis's unit, below its ticks
)

// Total is what the plot takes of a page, with the labels of its axes.
func (p Plot) Total() float64 { return plotHead + p.Height + tickSpace + unitLine }

// Draw draws the plot from the upper edge of b on, over its whole width.
func (p Plot) Draw(pen *Pen, b Box) {
	left := b.Left + 16 + tickWidth(p.Vertical.Ticks(p.Height)) + 5
	data := Box{left, b.Top + plotHead, b.Right - p.Beside, b.Top + plotHead + p.Height}
	a := &Axes{Pen: pen, Box: data, Horizontal: p.Horizontal, Vertical: p.Vertical}
	a.DrawVertical(true)
	p.Inside(a)
	a.DrawHorizontal(true, max(p.Beside, 8))
	pen.WriteCentered(p.Horizontal.Unit, Point{(data.Left + data.Right) / 2, data.Bottom + tickSpace + 12},
		SmallLetters)
}

// Stacked puts one drawing below another: the first takes height px.
func Stacked(height float64, first, second func(*Pen, Box)) func(*Pen, Box) {
	return func(p *Pen, b Box) {
		first(p, Box{b.Left, b.Top, b.Right, b.Top + height})
		second(p, Box{b.Left, b.Top + height, b.Right, b.Bottom})
	}
}

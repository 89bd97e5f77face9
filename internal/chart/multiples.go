package chart

import "image/color"

const (
	columnGap  = 24.0
	headHeight = 33.0 // a panel's label and figure, above its data
	rowGap     = 12.0
	tickSpace  = 17.0 // the labels of the horizontal axis
)

// Panel is one algorithm's place among small multiples.
type Panel struct {
	Label string
	Color color.NRGBA
	Fact  string // the one figure to take home, below the label
	Draw  func(*Axes)
}

// Multiples are panels that share both axes. Its Draw and Height are those of a Page.
type Multiples struct {
	Panels               []Panel
	Horizontal, Vertical Axis
}

// grid says where on the page the panels stand.
type grid struct {
	columns, rows int
	panels        int
	left, top     float64 // of the first panel's data
	width, height float64 // of each panel's data
}

// GridOf chooses the columns and the height of the data: three columns read best at this width, and fewer
// panels may be larger.
func GridOf(panels int) (columns int, height float64) {
	switch panels {
	case 1:
		return 1, 250
	case 2, 4:
		return 2, 150
	}
	return 3, 104
}

func (m Multiples) grid(top float64) grid {
	g := grid{panels: len(m.Panels), top: top + headHeight}
	g.columns, g.height = GridOf(len(m.Panels))
	g.rows = (len(m.Panels) + g.columns - 1) / g.columns
	g.left = Margin + 16 + tickWidth(m.Vertical.Ticks(g.height)) + 5
	g.width = (PageWidth - Margin - g.left - float64(g.columns-1)*columnGap) / float64(g.columns)
	return g
}

func tickWidth(ticks []Tick) float64 {
	widest := 0.0
	for _, t := range ticks {
		widest = max(widest, SmallLetters.Width(t.Label))
	}
	return widest
}

// box is the place of panel i's data. Where the last row is not full, it moves down a little: the panels
// above the gap carry the labels of their column.
func (g grid) box(i int) Box {
	row, column := i/g.columns, i%g.columns
	left := g.left + float64(column)*(g.width+columnGap)
	top := g.top + float64(row)*(g.height+headHeight+rowGap)
	if row == g.rows-1 && row > 0 && g.panels%g.columns != 0 {
		top += 8
	}
	return Box{left, top, left + g.width, top + g.height}
}

// lowest reports whether nothing stands below panel i.
func (g grid) lowest(i int) bool { return i+g.columns >= g.panels }

// Height is what the panels take of a page, with their heads and the labels of their axes.
func (m Multiples) Height() float64 {
	g := m.grid(0)
	return g.box(g.panels-1).Bottom + tickSpace
}

// Draw draws the panels from the upper edge of b on.
func (m Multiples) Draw(p *Pen, b Box) {
	g := m.grid(b.Top)
	for i, panel := range m.Panels {
		a := &Axes{Pen: p, Box: g.box(i), Horizontal: m.Horizontal, Vertical: m.Vertical}
		panel.drawHead(p, a.Box)
		a.DrawVertical(i%g.columns == 0)
		panel.Draw(a)
		a.DrawHorizontal(g.lowest(i), columnGap/2-2)
	}
}

// drawHead writes the label beside a patch of its colour: letters in a light colour would be hard to read.
func (p Panel) drawHead(pen *Pen, b Box) {
	pen.Rect(Box{b.Left, b.Top - 29.5, b.Left + 9, b.Top - 20.5}, p.Color)
	label := Shorten(p.Label, b.Right-b.Left-14, PanelLetters)
	pen.Write(label, Point{b.Left + 14, b.Top - 21}, PanelLetters)
	pen.Write(Shorten(p.Fact, b.Right-b.Left, SmallLetters), Point{b.Left, b.Top - 7}, SmallLetters)
}

// DrawVertical draws the level lines, and where labelled their values and the unit, which stands at the page's margin.
func (a *Axes) DrawVertical(labelled bool) {
	for _, t := range a.Vertical.Ticks(a.Bottom - a.Top) {
		a.Pen.Stroke(a.Level(t.At), Grid, 0.8)
		if labelled {
			a.Pen.WriteRight(t.Label, Point{a.Left - 5, a.Y(t.At) + 3.5}, SmallLetters)
		}
	}
	if labelled {
		a.Pen.WriteUpwards(a.Vertical.Unit, Point{Margin + 8, (a.Top + a.Bottom) / 2}, SmallLetters)
	}
}

// DrawHorizontal draws the base line over the areas' feet, and where labelled the values below it. The last label
// reaches no further than spare px beyond the panel, so that neighbours keep apart.
func (a *Axes) DrawHorizontal(labelled bool, spare float64) {
	a.Pen.Stroke([]Point{{a.Left, a.Bottom}, {a.Right, a.Bottom}}, Quiet, 0.9)
	for _, t := range a.Horizontal.Ticks(a.Right - a.Left) {
		x := a.X(t.At)
		a.Pen.Stroke([]Point{{x, a.Bottom}, {x, a.Bottom + 3}}, Quiet, 0.9)
		if !labelled {
			continue
		}
		q := Point{x, a.Bottom + 14}
		half := SmallLetters.Width(t.Label) / 2
		q.X = min(q.X, a.Right+spare-half)
		a.Pen.WriteCentered(t.Label, q, SmallLetters)
	}
}

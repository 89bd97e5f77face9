package chart

// Strip is what stands at one height in every column of Stacks, on the axis that all of them share.
type Strip struct {
	Vertical Axis
	Height   float64 // of the data, px
	Draw     func(column int, a *Axes)
}

// Stacks are columns of panels above each other that share the axis of time, under a head for each column. No more than
// four columns stand side by side; further ones follow below. Its Draw and Height are those of a Page.
type Stacks struct {
	Heads      []Panel // of the columns; their Draw is not asked for
	Horizontal Axis
	Strips     []Strip // from the highest to the lowest
}

const (
	stripGap   = 12.0
	mostBeside = 4
	stackGap   = 16.0 // between columns, which are narrow
)

// columns are as many as it takes for rows that are equally full, but for the last.
func (s Stacks) columns() int {
	rows := (len(s.Heads) + mostBeside - 1) / mostBeside
	return (len(s.Heads) + rows - 1) / rows
}

func (s Stacks) rows() int { return (len(s.Heads) + s.columns() - 1) / s.columns() }

// rowHeight is that of a row's head, its strips and the labels of the axis below them.
func (s Stacks) rowHeight() float64 {
	height := headHeight + tickSpace - stripGap
	for _, strip := range s.Strips {
		height += strip.Height + stripGap
	}
	return height
}

// Height is what the columns take of a page.
func (s Stacks) Height() float64 { return float64(s.rows())*(s.rowHeight()+rowGap) - rowGap }

// Draw draws the columns from the upper edge of b on.
func (s Stacks) Draw(p *Pen, b Box) {
	widest := 0.0
	for _, strip := range s.Strips {
		widest = max(widest, tickWidth(strip.Vertical.Ticks(strip.Height)))
	}
	n := s.columns()
	left := Margin + 16 + widest + 5
	width := (PageWidth - Margin - left - float64(n-1)*stackGap) / float64(n)
	for i := range s.Heads {
		at := Box{Left: left + float64(i%n)*(width+stackGap), Top: b.Top + headHeight}
		at.Top += float64(i/n) * (s.rowHeight() + rowGap)
		at.Right = at.Left + width
		s.Heads[i].drawHead(p, at)
		s.drawColumn(p, i, at, i%n == 0)
	}
}

// drawColumn draws one column's strips from the upper edge of b on.
func (s Stacks) drawColumn(p *Pen, column int, b Box, labelled bool) {
	for i, strip := range s.Strips {
		b.Bottom = b.Top + strip.Height
		a := &Axes{Pen: p, Box: b, Horizontal: s.Horizontal, Vertical: strip.Vertical}
		a.DrawVertical(labelled)
		strip.Draw(column, a)
		a.DrawHorizontal(i == len(s.Strips)-1, 1) // the next column's first label is not always 0
		b.Top = b.Bottom + stripGap
	}
}

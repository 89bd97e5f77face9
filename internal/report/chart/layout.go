package chart

// The page is 720 px wide, the width of a README's column. Its height follows from the number of panels.
const (
	pageWidth  = 720
	margin     = 20.0
	columnGap  = 24.0
	headHeight = 33.0 // a panel's label and figure, above its data
	rowGap     = 12.0
	tickSpace  = 17.0 // the labels of the time axis
)

// layout says where on the page everything stands.
type layout struct {
	title, subtitle, foot []string // lines
	columns, rows         int
	panels                int
	left, top             float64 // of the first panel's data
	width, height         float64 // of each panel's data
	page                  float64 // the whole height
}

func (f *figure) layout() layout {
	inner := pageWidth - 2*margin
	g := layout{
		title:    wrap(f.title, inner, titleLetters),
		subtitle: wrap(f.subtitle, inner, plainLetters),
		foot:     wrap(f.footer, inner, footLetters),
		panels:   len(f.panels),
	}
	g.columns, g.height = gridOf(len(f.panels))
	g.rows = (len(f.panels) + g.columns - 1) / g.columns
	g.left = margin + 16 + f.tickWidth() + 5
	g.width = (pageWidth - margin - g.left - float64(g.columns-1)*columnGap) / float64(g.columns)
	g.top = g.subtitleTop() + float64(len(g.subtitle))*15 + 8 + headHeight
	g.page = g.panelBox(g.panels-1).bottom + tickSpace + 14 + float64(len(g.foot))*13 + 8
	return g
}

// gridOf chooses the columns and the height of the data: three columns read best at this width, and fewer
// panels may be larger.
func gridOf(panels int) (columns int, height float64) {
	switch panels {
	case 1:
		return 1, 250
	case 2, 4:
		return 2, 150
	}
	return 3, 104
}

func (g layout) subtitleTop() float64 { return margin + float64(len(g.title))*20 + 3 }

// panelBox is the place of panel i's data. Where the last row is not full, it moves down a little: the panels
// above the gap carry the labels of their column.
func (g layout) panelBox(i int) box {
	row, column := i/g.columns, i%g.columns
	left := g.left + float64(column)*(g.width+columnGap)
	top := g.top + float64(row)*(g.height+headHeight+rowGap)
	if row == g.rows-1 && row > 0 && g.panels%g.columns != 0 {
		top += 8
	}
	return box{left, top, left + g.width, top + g.height}
}

// lowest reports whether nothing stands below panel i.
func (g layout) lowest(i int) bool { return i+g.columns >= g.panels }

func (f *figure) height() float64 { return f.layout().page }

// headroom leaves a label's height above the greatest value.
func (f *figure) headroom() float64 {
	_, height := gridOf(len(f.panels))
	return max(f.top, 1) * (1 + 17/(height-17))
}

func (f *figure) ticks() []float64 {
	_, height := gridOf(len(f.panels))
	return countTicks(f.headroom(), int(height/30))
}

func (f *figure) tickWidth() float64 {
	widest := 0.0
	for _, v := range f.ticks() {
		widest = max(widest, smallLetters.width(short(v)))
	}
	return widest
}

package benchchart

import (
	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

// expenses is the picture of the server's cost: a row for each algorithm, in it a line for each lane, the figures at
// the right.
type expenses struct {
	lanes  []lane
	labels []string // the cheapest first
	top    float64  // µs
	floors []noise
}

const (
	lanePitch   = 11.0
	rowPadding  = 11.0
	figureSpace = 92.0 // at the right, for a figure and its ratio
	floorLabel  = 10.0 // above the rows, for the control's
)

func (e expenses) rowHeight() float64 { return float64(len(e.lanes))*lanePitch + rowPadding }

func (e expenses) height() float64 { return e.plot(0).Total() + floorLabel }

// plot has no vertical values: its rows are named.
func (e expenses) plot(float64) chart.Plot {
	return chart.Plot{
		Horizontal: chart.Amounts(e.top, 60, "server µs per decision"),
		Vertical: chart.Axis{Share: func(v float64) float64 { return v },
			Ticks: func(float64) []chart.Tick { return nil }},
		Height: float64(len(e.labels)) * e.rowHeight(), Beside: figureSpace, Inside: e.inside,
	}
}

func (e expenses) draw(p *chart.Pen, b chart.Box) {
	b.Top += floorLabel
	b.Left += e.labelWidth() - 20
	e.plot(0).Draw(p, b)
}

// labelWidth is the room for the algorithms' names, at most 200 px.
func (e expenses) labelWidth() float64 {
	widest := 0.0
	for _, l := range e.labels {
		widest = max(widest, chart.PanelLetters.Width(l))
	}
	return min(widest, 200) + 14 + 10
}

func (e expenses) inside(a *chart.Axes) {
	for _, t := range a.Horizontal.Ticks(a.Right - a.Left) {
		a.Pen.Stroke([]chart.Point{chart.At(a.X(t.At), a.Top), chart.At(a.X(t.At), a.Bottom)}, chart.Grid, 0.8)
	}
	e.drawFloors(a)
	for i, label := range e.labels {
		top := a.Top + float64(i)*e.rowHeight()
		if i > 0 {
			between := []chart.Point{chart.At(chart.Margin, top), chart.At(a.Right+figureSpace, top)}
			a.Pen.Stroke(between, chart.Grid, 0.8)
		}
		e.drawLabel(a, label, top+e.rowHeight()/2)
		for k, lane := range e.lanes {
			if figure, ok := lane.of(label); ok {
				drawExpense(a, lane.mark, figure, label, top+rowPadding/2+(float64(k)+0.5)*lanePitch)
			}
		}
	}
}

func (e expenses) drawLabel(a *chart.Axes, label string, middle float64) {
	left := chart.Margin
	a.Pen.Rect(chart.Box{Left: left, Top: middle - 4.5, Right: left + 9, Bottom: middle + 4.5}, chart.Color(label))
	a.Pen.Write(chart.Shorten(label, 200, chart.PanelLetters), chart.At(left+14, middle+4), chart.PanelLetters)
}

// drawExpense draws the rounds' spread, the median and, at the right, the figures.
func drawExpense(a *chart.Axes, m mark, e expense, label string, y float64) {
	c := chart.Color(label)
	if label == control {
		c = chart.Reference // on the grey band
	}
	a.Pen.Stroke([]chart.Point{chart.At(a.X(e.lowUS), y), chart.At(a.X(e.highUS), y)}, chart.Tint(c, 0.55), 2.2)
	m(a.Pen, chart.At(a.X(e.us), y), c)
	a.Pen.WriteRight(microseconds(e.us), chart.At(a.Right+48, y+3.5), chart.SmallLetters)
	if e.ratio != nil && label != control {
		a.Pen.WriteRight(sheet.Significant(*e.ratio)+" ×", chart.At(a.Right+figureSpace, y+3.5), chart.SmallLetters)
	}
}

// microseconds writes three significant digits, all of them, so that a column lines up: 4.10 µs, 18.4 µs, 1.23 ms.
func microseconds(v float64) string {
	if v >= 999.5 {
		return us(v)
	}
	return sheet.Significant(v) + " µs"
}

// drawFloors draws the control through all rows, within the band in which the same code can come out.
func (e expenses) drawFloors(a *chart.Axes) {
	for i, f := range e.floors {
		right := min(a.X(f.highUS), a.Right) // on a noisy machine the band has no end
		band := chart.Box{Left: a.X(f.lowUS), Top: a.Top, Right: right, Bottom: a.Bottom}
		a.Pen.Rect(band, chart.Tint(chart.Color(control), 0.45))
		x := a.X(f.us)
		a.Pen.Stroke([]chart.Point{chart.At(x, a.Top-3), chart.At(x, a.Bottom)}, chart.Reference, 1.2, lineOf[i]...)
	}
	if len(e.floors) > 0 {
		text := "the control none " + microseconds(e.floors[0].us)
		if len(e.floors) > 1 {
			text = "the control none"
		}
		left := min(a.X(e.floors[0].us)-2, a.Right-chart.SmallLetters.Width(text)) // clear of the figures' heads
		a.Pen.Write(text, chart.At(left, a.Top-7), chart.SmallLetters)
	}
	a.Pen.WriteRight("median", chart.At(a.Right+48, a.Top-7), chart.SmallLetters)
	a.Pen.WriteRight("vs none", chart.At(a.Right+figureSpace, a.Top-7), chart.SmallLetters)
}

func (e expenses) keys() []chart.Key {
	var keys []chart.Key
	for _, l := range e.lanes {
		keys = append(keys, markKey(l.name, l.mark))
	}
	if len(e.floors) > 0 {
		keys = append(keys, chart.AreaKey("the control, within the noise", chart.Tint(chart.Color(control), 0.45)))
	}
	return keys
}

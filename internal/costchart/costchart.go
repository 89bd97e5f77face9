// Package costchart draws counted cost: one picture, a row for each script, a mark for each path through it. It draws a
// document as it is, and counts nothing.
package costchart

import (
	"bytes"
	"image/color"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/costresult"
	"ratelab/internal/sheet"
)

// Name is that of the picture's files.
const Name = "instructions"

// Write draws the picture into dir, which must exist, in the formats named, or all where none is, with its data beside
// it as CSV. It returns the paths.
func Write(dir string, d *costresult.Document, formats ...string) ([]string, error) {
	p, err := picture(d)
	if err != nil {
		return nil, err
	}
	return chart.WriteAll(dir, []chart.Picture{p}, formats...)
}

func picture(d *costresult.Document) (chart.Picture, error) {
	var data bytes.Buffer
	if err := costresult.WriteCSV(&data, d); err != nil {
		return chart.Picture{}, err
	}
	l := layout{rows: cheapestFirst(d)}
	for _, r := range d.Rows {
		_, most := r.Range()
		l.top = max(l.top, most)
	}
	if control := d.Of(costresult.Control); control != nil {
		l.floor = control.Mean()
	}
	keys := keysOf(d)
	legend := chart.LegendHeight(keys)
	p := chart.Page{
		Title: "How many instructions does a decision take?",
		Subtitle: status(d) + "Counted by callgrind on an unmodified server, network and parsing included. A mark: " +
			"one path, a state of the key under a limit; a line: from the least to the most; at the right the mean " +
			"over that of none. A count is no time.",
		Footer: footer(d),
		Height: legend + l.height(),
		Draw:   chart.Stacked(legend, chart.Legend(keys), l.draw),
	}
	return chart.Picture{Name: Name, Page: p, Data: data.Bytes()}, nil
}

func status(d *costresult.Document) string {
	if d.Partial {
		return "PARTIAL: interrupted before its end. "
	}
	return ""
}

func footer(d *costresult.Document) string {
	parts := []string{d.Server.String()}
	if d.Image != "" {
		parts = append(parts, d.Image)
	}
	return strings.Join(append(parts, d.Architecture, "valgrind "+d.Valgrind, "ratelab "+d.Tool.Version), "  ·  ")
}

// cheapestFirst are the rows that have paths, by their means.
func cheapestFirst(d *costresult.Document) []*costresult.Row {
	var all []*costresult.Row
	for i := range d.Rows {
		if len(d.Rows[i].Paths) > 0 {
			all = append(all, &d.Rows[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *costresult.Row) int {
		switch {
		case a.Mean() < b.Mean():
			return -1
		case a.Mean() > b.Mean():
			return 1
		}
		return 0
	})
	return all
}

// mark is how a state is drawn; those that are much alike share one, filled and not.
type mark struct {
	name string
	of   []string
	draw func(*chart.Pen, chart.Point, color.NRGBA)
}

const radius = 3.6

var marks = []mark{
	{"steady", []string{costresult.Steady, costresult.Any},
		func(p *chart.Pen, q chart.Point, c color.NRGBA) { p.Dot(q, radius, c) }},
	{"burst", []string{costresult.Burst},
		func(p *chart.Pen, q chart.Point, c color.NRGBA) { p.Diamond(q, radius+1, c) }},
	{"rejected", []string{costresult.Rejected},
		func(p *chart.Pen, q chart.Point, c color.NRGBA) { p.Ring(q, radius, c) }},
	{"first, expired", []string{costresult.First, costresult.Expired},
		func(p *chart.Pen, q chart.Point, c color.NRGBA) {
			p.Rect(chart.Box{Left: q.X - 3, Top: q.Y - 3, Right: q.X + 3, Bottom: q.Y + 3}, c)
		}},
	{"cost 2, cost B", []string{costresult.Cost2, costresult.CostB},
		func(p *chart.Pen, q chart.Point, c color.NRGBA) {
			p.Stroke([]chart.Point{chart.At(q.X-3.5, q.Y), chart.At(q.X+3.5, q.Y)}, c, 1.6)
			p.Stroke([]chart.Point{chart.At(q.X, q.Y-3.5), chart.At(q.X, q.Y+3.5)}, c, 1.6)
		}},
	{"full log", []string{costresult.FullLog},
		func(p *chart.Pen, q chart.Point, c color.NRGBA) {
			p.Fill([]chart.Point{chart.At(q.X-4, q.Y+3.5), chart.At(q.X+4, q.Y+3.5), chart.At(q.X, q.Y-4)}, c)
		}},
}

// keysOf are the marks that the document has.
func keysOf(d *costresult.Document) []chart.Key {
	var keys []chart.Key
	for _, m := range marks {
		has := slices.ContainsFunc(d.Rows, func(r costresult.Row) bool {
			return slices.ContainsFunc(r.Paths, func(p costresult.Path) bool { return slices.Contains(m.of, p.State) })
		})
		if has {
			keys = append(keys, chart.Key{Text: m.name, Draw: func(p *chart.Pen, q chart.Point) {
				m.draw(p, q, chart.Ink)
			}})
		}
	}
	return keys
}

// layout is the picture's rows; each has a line for each kind of mark.
type layout struct {
	rows       []*costresult.Row
	top, floor float64
}

const (
	linePitch   = 8.0
	rowPadding  = 10.0
	figureSpace = 130.0 // at the right: the range, and the mean over the control's
	headSpace   = 12.0
)

func (l layout) rowHeight() float64 { return float64(len(marks))*linePitch + rowPadding }

func (l layout) plot() chart.Plot {
	return chart.Plot{
		Horizontal: chart.Amounts(l.top, 60, "instructions per decision"),
		Vertical: chart.Axis{Share: func(v float64) float64 { return v },
			Ticks: func(float64) []chart.Tick { return nil }},
		Height: float64(len(l.rows)) * l.rowHeight(), Beside: figureSpace, Inside: l.inside,
	}
}

func (l layout) height() float64 { return l.plot().Total() + headSpace }

func (l layout) draw(p *chart.Pen, b chart.Box) {
	b.Top += headSpace
	b.Left += l.labelWidth() - 20
	l.plot().Draw(p, b)
}

// widestLabel is the room that an algorithm's name has at the most, in px.
const widestLabel = 170.0

func (l layout) labelWidth() float64 {
	widest := 0.0
	for _, r := range l.rows {
		widest = max(widest, chart.PanelLetters.Width(r.Algorithm))
	}
	return min(widest, widestLabel) + 24
}

func (l layout) inside(a *chart.Axes) {
	for _, t := range a.Horizontal.Ticks(a.Right - a.Left) {
		a.Pen.Stroke([]chart.Point{chart.At(a.X(t.At), a.Top), chart.At(a.X(t.At), a.Bottom)}, chart.Grid, 0.8)
	}
	if l.floor > 0 {
		x := a.X(l.floor)
		a.Pen.Stroke([]chart.Point{chart.At(x, a.Top), chart.At(x, a.Bottom)}, chart.Reference, 1.2, 4, 3)
	}
	a.Pen.WriteRight("least to most", chart.At(a.Right+88, a.Top-6), chart.SmallLetters)
	a.Pen.WriteRight("x none", chart.At(a.Right+figureSpace, a.Top-6), chart.SmallLetters)
	for i, r := range l.rows {
		l.row(a, r, a.Top+float64(i)*l.rowHeight(), i > 0)
	}
}

func (l layout) row(a *chart.Axes, r *costresult.Row, top float64, parted bool) {
	if parted {
		a.Pen.Stroke([]chart.Point{chart.At(chart.Margin, top), chart.At(a.Right+figureSpace, top)}, chart.Grid, 0.8)
	}
	middle, colour := top+l.rowHeight()/2, chart.Color(r.Algorithm)
	a.Pen.Rect(chart.Box{Left: chart.Margin, Top: middle - 4.5, Right: chart.Margin + 9, Bottom: middle + 4.5}, colour)
	a.Pen.Write(chart.Shorten(r.Algorithm, widestLabel, chart.PanelLetters), chart.At(chart.Margin+14, middle+4),
		chart.PanelLetters)
	least, most := r.Range()
	a.Pen.Stroke([]chart.Point{chart.At(a.X(least), middle), chart.At(a.X(most), middle)}, chart.Tint(colour, 0.35), 2)
	for k, m := range marks {
		y := top + rowPadding/2 + (float64(k)+0.5)*linePitch
		for _, p := range r.Paths {
			if slices.Contains(m.of, p.State) {
				m.draw(a.Pen, chart.At(a.X(p.Instructions), y), colour)
			}
		}
	}
	text := chart.Short(round(least)) + " - " + chart.Short(round(most))
	if len(r.Paths) == 1 {
		text = chart.Short(round(least))
	}
	a.Pen.WriteRight(text, chart.At(a.Right+88, middle+4), chart.SmallLetters)
	if l.floor > 0 {
		ratio := sheet.Significant(r.Mean()/l.floor) + " x"
		a.Pen.WriteRight(ratio, chart.At(a.Right+figureSpace, middle+4), chart.SmallLetters)
	}
}

// round is a count to hundreds.
func round(f float64) float64 { return float64(int64(f/100+0.5)) * 100 }

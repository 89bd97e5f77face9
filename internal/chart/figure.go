package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"path"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
)

// Figure is a picture: panels that share their axes, the words around them, and the data behind them.
type Figure struct {
	Name                    string // of the files, without folder and extension
	Title, Subtitle, Footer string // the question, what the figure shows, and how it was made
	Data                    []byte // CSV

	keys    []key
	x       Axis
	strips  []Axis // the vertical axes of the panels below one head, from top to bottom
	columns []column
	height  float64 // the least height of a panel
}

// column shows one row: a head, and a panel in each strip.
type column struct {
	label string
	color color.NRGBA
	fact  string // the main figure of the row, in words
	draw  []func(*panel)
}

// The page is as wide as a README's column. Its height follows from its content.
const (
	pageWidth = 720
	margin    = 20

	headHeight = 33 // of a column, above its data
	columnGap  = 14
	rowGap     = 12
	tickSpace  = 20 // the labels of the horizontal axis
	unitSpace  = 16
)

// gridOf returns the number of columns side by side, and the height of a panel's data. Three columns read best at this
// width. Fewer columns may be larger, and columns of several strips may be narrower.
func gridOf(columns, strips int) (beside int, height float64) {
	switch {
	case strips > 1:
		rows := (columns + 3) / 4
		return (columns + rows - 1) / rows, 106
	case columns == 1:
		return 1, 250
	case columns == 2 || columns == 4:
		return 2, 150
	}
	return 3, 104
}

func (f *Figure) grid() (rows, beside int, height float64) {
	beside, height = gridOf(len(f.columns), len(f.strips))
	return (len(f.columns) + beside - 1) / beside, beside, max(height, f.height)
}

// panelsHeight returns the height of all panels with their heads and the labels of their axes.
func (f *Figure) panelsHeight() vg.Length {
	rows, beside, height := f.grid()
	strips := len(f.strips)
	whole := float64(rows*strips)*(height+rowGap) - rowGap + tickSpace
	if f.columns[0].label != "" {
		whole += float64(rows * headHeight)
	}
	if f.x.Unit != "" {
		whole += unitSpace
	}
	if rows > 1 && len(f.columns)%beside != 0 {
		whole += tickSpace // the second to last row has labels, too
	}
	return vg.Length(whole)
}

// block is a part of the page, over its whole width.
type block struct {
	height vg.Length
	draw   func(draw.Canvas)
}

// blocks returns the parts of the page, from top to bottom.
func (f *Figure) blocks() []block {
	return []block{paragraph(f.Title, titleLetters, 20, 3), paragraph(f.Subtitle, plainLetters, 15, 8), legend(f.keys),
		{f.panelsHeight() + 14, f.drawPanels}, paragraph(f.Footer, footLetters, 13, 8)}
}

// draw draws the page on a canvas of its size.
func (f *Figure) draw(c draw.Canvas) {
	c.FillPolygon(Paper, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, 0, -margin)
	for _, b := range f.blocks() {
		c.Min.Y = c.Max.Y - b.height
		b.draw(c)
		c.Max.Y = c.Min.Y
	}
}

// size returns the height of the page.
func (f *Figure) size() (height vg.Length) {
	for _, b := range f.blocks() {
		height += b.height
	}
	return margin + height
}

// drawPanels aligns the panels with gonum/plot. The first panel of a row has the labels and the unit of its vertical
// axis. The lowest panel of a column has the labels of the horizontal axis.
func (f *Figure) drawPanels(c draw.Canvas) {
	c.Min.Y += 14
	rows, beside, height := f.grid()
	width := float64(c.Size().X)/float64(beside) - 30
	tiles := draw.Tiles{Rows: rows * len(f.strips), Cols: beside, PadX: columnGap, PadY: rowGap}
	var widest vg.Length
	for _, y := range f.strips {
		widest = max(widest, ticksWidth(y, height))
	}
	plots := make([][]*plot.Plot, tiles.Rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, tiles.Cols)
	}
	for i, col := range f.columns {
		for k, y := range f.strips {
			p := newPanel(col.color, i == 0)
			if k == 0 && col.label != "" {
				p.Add(head(col))
			}
			left, lowest := i%beside == 0, k == len(f.strips)-1 && i+beside >= len(f.columns)
			ends := k == len(f.strips)-1 && (lowest || len(f.strips) > 1)
			p.scale(f.x, y, width, height, left, ends)
			p.Y.Label.Padding += widest - ticksWidth(y, height)
			col.draw[k](p)
			p.Add(placed{p.lines, p.labels})
			plots[i/beside*len(f.strips)+k][i%beside] = p.Plot
		}
	}
	for i, row := range plot.Align(plots, tiles, c) {
		for k, tile := range row {
			if plots[i][k] != nil {
				plots[i][k].Draw(tile)
			}
		}
	}
}

// ticksWidth returns the width of a vertical axis's labels, so that the units of all axes can be aligned.
func ticksWidth(y Axis, height float64) (widest vg.Length) {
	for _, t := range y.Ticks(height) {
		widest = max(widest, smallLetters.Width(t.Label))
	}
	return widest
}

// The themes. Auto draws every figure twice: NAME.svg is light, and NAME.dark.svg is dark.
const Light, Dark, Auto = "light", "dark", "auto"

// Style says how figures are drawn into files.
type Style struct {
	Formats []string // svg, png; empty: no pictures
	Theme   string   // "" is Light
	Scale   int      // px of a PNG for each px of an SVG
}

// Encode draws the figure and returns the file's content in the format, svg or png. A PNG has scale times as many px in
// both directions as the page.
func (f *Figure) Encode(format string, dark bool, scale int) []byte {
	height := f.size()
	onto := func(c vg.Canvas) {
		if dark {
			c = darkened{c}
		}
		f.draw(draw.NewCanvas(c, pageWidth, height))
	}
	if format == "svg" {
		s := newSVG(height)
		onto(s)
		return s.document(f.Alt())
	}
	c := vgimg.NewWith(vgimg.UseWH(pageWidth, height), vgimg.UseDPI(72*scale))
	onto(c)
	var out bytes.Buffer
	// Note: the default level takes 1.5 times as long, for 4 % fewer bytes.
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, c.Image()); err != nil {
		panic(fmt.Sprintf("chart: encoding into memory: %v", err))
	}
	return out.Bytes()
}

// Alt says in words what the figure shows.
func (f *Figure) Alt() string { return message.Visible(f.Title + " " + f.Subtitle) }

// Picture returns HTML that shows a picture of the theme Auto: the dark file to readers with a dark screen. file is the
// light one.
func Picture(file, alt string) string {
	ext := path.Ext(file)
	return fmt.Sprintf("<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"%s\">\n"+
		"  <img alt=\"%s\" src=\"%s\">\n</picture>\n", html.EscapeString(strings.TrimSuffix(file, ext)+darkName+ext),
		html.EscapeString(alt), html.EscapeString(file))
}

// darkName follows the name of a figure's dark file.
const darkName = ".dark"

// Write draws the figures into dir, which must exist, and writes the data of each beside it. It returns the paths; for
// each figure, the pictures come first. A file is written completely or not at all. The data is written first, so that
// each picture has its data.
func Write(dir string, figures []*Figure, s Style) ([]string, error) {
	var paths []string
	for _, f := range figures {
		base := filepath.Join(dir, f.Name)
		if err := put(base+".csv", f.Data); err != nil {
			return paths, err
		}
		for _, format := range s.Formats {
			names := []string{base + "." + format}
			if s.Theme == Auto {
				names = append(names, base+darkName+"."+format)
			}
			for i, name := range names {
				if err := put(name, f.Encode(format, s.Theme == Dark || i > 0, s.Scale)); err != nil {
					return paths, err
				}
				paths = append(paths, name)
			}
		}
		paths = append(paths, base+".csv")
	}
	return paths, nil
}

// put writes a file completely or not at all.
func put(path string, data []byte) error {
	if err := atomicfile.WriteBytes(path, data); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}

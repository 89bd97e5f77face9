package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// fontFamily is the measured font, followed by fonts with its metrics and by generic ones.
const fontFamily = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

// svg is a canvas for gonum/plot whose output has a third of the bytes of gonum/plot's own. It leaves out invisible
// points, and writes relative moves in tenths of a px. Each text has a fixed length, so that texts do not overlap with
// a font of other metrics.
type svg struct {
	vg.Canvas // nil: charts move, scale and embed nothing
	height    vg.Length
	body      bytes.Buffer
	pens      []pen // the current one is the last
}

type pen struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	turn   float64 // of texts, anticlockwise, in radians
}

func newSVG(height vg.Length) *svg { return &svg{height: height, pens: make([]pen, 1)} }

func (s *svg) pen() *pen { return &s.pens[len(s.pens)-1] }

// The following methods implement vg.Canvas.

func (s *svg) SetColor(c color.Color)                      { s.pen().color = c }
func (s *svg) SetLineWidth(w vg.Length)                    { s.pen().width = w }
func (s *svg) SetLineDash(dashes []vg.Length, _ vg.Length) { s.pen().dashes = dashes }
func (s *svg) Rotate(turn float64)                         { s.pen().turn += turn }
func (s *svg) Push()                                       { s.pens = append(s.pens, *s.pen()) }
func (s *svg) Pop()                                        { s.pens = s.pens[:len(s.pens)-1] }

func (s *svg) Fill(p vg.Path) {
	fmt.Fprintf(&s.body, `<path d="%s"%s/>`+"\n", s.path(p), s.paint("fill"))
}

func (s *svg) Stroke(p vg.Path) {
	if s.pen().width <= 0 {
		return
	}
	dashes := ""
	for _, d := range s.pen().dashes {
		dashes += "," + tenths(tenth(d))
	}
	if dashes != "" {
		dashes = ` stroke-dasharray="` + dashes[1:] + `"`
	}
	fmt.Fprintf(&s.body, `<path d="%s" fill="none"%s stroke-width="%s"%s/>`+"\n", s.path(p), s.paint("stroke"),
		tenths(tenth(s.pen().width)), dashes)
}

func (s *svg) FillString(face font.Face, at vg.Point, text string) {
	sin, cos := math.Sincos(s.pen().turn)
	x := tenths(tenth(at.X*vg.Length(cos) - at.Y*vg.Length(sin)))
	y := tenths(tenth(s.height - at.X*vg.Length(sin) - at.Y*vg.Length(cos)))
	turn, weight := "", ""
	if s.pen().turn != 0 {
		turn = fmt.Sprintf(` transform="rotate(%.0f %s %s)"`, -s.pen().turn*180/math.Pi, x, y)
	}
	if face.Font.Weight == xfont.WeightBold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&s.body, `<text x="%s" y="%s"%s font-size="%g"%s%s textLength="%s" lengthAdjust="spacingAndGlyphs">`+
		"%s</text>\n", x, y, turn, float64(face.Font.Size), weight, s.paint("fill"), tenths(tenth(face.Width(text))),
		html.EscapeString(text))
}

// paint returns an attribute with the pen's colour.
func (s *svg) paint(attribute string) string {
	c := color.NRGBAModel.Convert(s.pen().color).(color.NRGBA)
	text := fmt.Sprintf(` %s="#%02x%02x%02x"`, attribute, c.R, c.G, c.B)
	if c.A < 0xff {
		text += fmt.Sprintf(` %s-opacity="%.2g"`, attribute, float64(c.A)/0xff)
	}
	return text
}

// document returns the whole file. The title is for screen readers.
func (s *svg) document(title string) []byte {
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%g" viewBox="0 0 %d %g" role="img" `+
		`font-family="%s">`+"\n<title>%s</title>\n", pageWidth, float64(s.height), pageWidth, float64(s.height), fontFamily,
		html.EscapeString(title))
	return fmt.Appendf(nil, "%s%s</svg>\n", head, s.body.Bytes())
}

// path writes moves as absolute and lines as relative coordinates. Points are rounded before they are subtracted, so
// that errors do not add up.
func (s *svg) path(p vg.Path) string {
	var out strings.Builder
	var x, y int
	for _, step := range simplified(p) {
		toX, toY := tenth(step.Pos.X), tenth(s.height-step.Pos.Y)
		switch step.Type {
		case vg.MoveComp:
			fmt.Fprintf(&out, "M%s,%s", tenths(toX), tenths(toY))
		case vg.LineComp:
			out.WriteString(relative(toX-x, toY-y))
		case vg.ArcComp: // a whole circle: no chart has another arc
			r, twice := tenths(tenth(step.Radius)), tenths(2*tenth(step.Radius))
			fmt.Fprintf(&out, "a%s,%s 0 1 0 -%s,0a%s,%s 0 1 0 %s,0", r, r, twice, r, r, twice)
		case vg.CloseComp:
			out.WriteByte('Z')
		}
		x, y = toX, toY
	}
	return out.String()
}

func relative(dx, dy int) string {
	switch {
	case dx == 0 && dy == 0:
		return ""
	case dy == 0:
		return "h" + tenths(dx)
	case dx == 0:
		return "v" + tenths(dy)
	}
	return "l" + tenths(dx) + "," + tenths(dy)
}

func tenth(v vg.Length) int { return int(math.Round(10 * float64(v))) }

func tenths(v int) string { return strconv.FormatFloat(float64(v)/10, 'f', -1, 64) }

// simplified returns a path without the points that make no visible difference. Source: Douglas and Peucker,
// "Algorithms for the reduction of the number of points", 1973.
func simplified(p vg.Path) vg.Path {
	n := 1
	for n < len(p) && p[n].Type == vg.LineComp {
		n++
	}
	if n < 3 {
		return p
	}
	return append(corners(p[:n:n]), p[n:]...)
}

// unseen is the largest deviation, in px, that the precision of the coordinates hides.
const unseen = 0.05

func corners(line vg.Path) vg.Path {
	last := len(line) - 1
	farthest, distance := 0, 0.0
	for i := 1; i < last; i++ {
		if d := fromLine(line[i].Pos, line[0].Pos, line[last].Pos); d > distance {
			farthest, distance = i, d
		}
	}
	if distance <= unseen {
		return vg.Path{line[0], line[last]}
	}
	head := corners(line[:farthest+1])
	return append(head[:len(head)-1], corners(line[farthest:])...)
}

// fromLine returns the distance of q from the line through p and r, or from p if p and r are equal.
func fromLine(q, p, r vg.Point) float64 {
	along, to := r.Sub(p), q.Sub(p)
	length := math.Hypot(float64(along.X), float64(along.Y))
	if length == 0 {
		return math.Hypot(float64(to.X), float64(to.Y))
	}
	return math.Abs(float64(along.X*to.Y-to.X*along.Y)) / length
}

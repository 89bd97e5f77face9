package tune

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/message"
)

// PictureName is the name of the picture's files, without extension.
const PictureName = "frontier"

// WritePicture draws the frontier into dir, which must exist, in the formats named, or all where none is, and puts the
// data beside it. It returns the paths.
func WritePicture(dir string, d *Document, formats ...string) ([]string, error) {
	return chart.WriteAll(dir, []chart.Picture{d.picture()}, formats...)
}

func (d *Document) picture() chart.Picture {
	plot := chart.Plot{Horizontal: d.refusedAxis(), Vertical: d.worstAxis(), Height: 340, Beside: 14}
	plot.Inside = d.drawInside
	var data bytes.Buffer
	if err := WriteCSV(&data, d); err != nil {
		panic(err) // a buffer takes everything
	}
	return chart.Picture{Name: PictureName, Data: data.Bytes(), Page: chart.Page{Title: d.pictureTitle(),
		Subtitle: d.pictureSubtitle(), Footer: d.footer(), Height: plot.Total(), Draw: plot.Draw}}
}

func (d *Document) pictureTitle() string {
	if d.Wishes.Of == Users {
		return "Which settings refuse few good users, and spare the backend in its worst second?"
	}
	return "Which settings refuse few requests of good users, and spare the backend in its worst second?"
}

func (d *Document) pictureSubtitle() string {
	text := fmt.Sprintf("%s. Each disc a setting, as fitted on %s; the line is the frontier, which none beats. "+
		"Shaded: what is wished.", d.Headline(), d.Traffic.Fitted)
	if slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Present }) {
		text += " Diamonds: the present setting."
	}
	if d.leavesOut() {
		text += " Of a sample: shares are estimates, bars two standard errors, worst seconds at least so much."
	}
	return text
}

func (d *Document) footer() string {
	parts := []string{fmt.Sprintf("%s, %s of %s", d.Traffic.Name, message.Count(d.Traffic.Requests, "request"),
		message.Count(d.Traffic.Keys, "key")), "good users by " + d.Good.By}
	if d.Tool.Version != "" {
		parts = append(parts, "ratelab "+d.Tool.Version)
	}
	return strings.Join(parts, "  ·  ")
}

// shown is where a row stands: the share that it refuses, and the worst second.
func (d *Document) shown(r *Row) (x, y float64) {
	return d.Wishes.share(&r.Fitted), float64(r.Fitted.WorstSecond)
}

// refusedAxis is an axis of shares on which the small ones have room.
func (d *Document) refusedAxis() chart.Axis {
	top := 0.01
	if d.Wishes.RefuseAtMost != nil {
		top = max(top, 2**d.Wishes.RefuseAtMost)
	}
	for i := range d.Rows {
		x, _ := d.shown(&d.Rows[i])
		top = max(top, x)
	}
	top = min(top*1.1, 1)
	place := func(v float64) float64 { return math.Sqrt(v / top) }
	unit := "good users ever refused, fitted (root scale)"
	if d.Wishes.Of == Requests {
		unit = "requests of good users refused, fitted (root scale)"
	}
	return chart.Axis{Unit: unit, Share: place, Ticks: func(length float64) []chart.Tick {
		var ticks []chart.Tick
		last := math.Inf(-1)
		for _, v := range []float64{0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1} {
			if x := place(v) * length; v <= top && x-last >= 44 {
				ticks, last = append(ticks, chart.Tick{At: v, Label: given(v)}), x
			}
		}
		return ticks
	}}
}

func (d *Document) worstAxis() chart.Axis {
	top := max(1, float64(d.Unlimited.Fitted.WorstSecond))
	if d.Wishes.Protect != nil {
		top = max(top, min(float64(*d.Wishes.Protect), 1.5*top))
	}
	what := "requests"
	if !d.unitCost() {
		what = "cost"
	}
	if d.leavesOut() {
		what += ", at least"
	}
	return chart.Amounts(top*1.05, 40, "the backend's worst second, "+what)
}

// wished is the colour of the area in which all wishes are kept.
var wished = color.NRGBA{0x00, 0x9e, 0x73, 0xff}

const (
	pointRadius = 4.0
	smallRadius = 2.2
)

func (d *Document) drawInside(a *chart.Axes) {
	right, top := a.Right, a.Top
	if d.Wishes.RefuseAtMost != nil {
		right = min(a.X(*d.Wishes.RefuseAtMost), a.Right)
	}
	if d.Wishes.Protect != nil {
		top = max(a.Y(float64(*d.Wishes.Protect)), a.Top)
	}
	a.Pen.Rect(chart.Box{Left: a.Left, Top: top, Right: max(right, a.Left+2), Bottom: a.Bottom},
		chart.Tint(wished, 0.14))
	level := a.Y(float64(d.Unlimited.Fitted.WorstSecond))
	a.Pen.Stroke(a.Level(float64(d.Unlimited.Fitted.WorstSecond)), chart.Ink, 0.9, 4, 3)
	a.Reserve(chart.Box{Left: a.Left, Top: level - 1, Right: a.Right, Bottom: level + 1})
	for i := range d.Rows {
		r := &d.Rows[i]
		x, y := d.shown(r)
		a.Pen.Dot(a.At(x, y), smallRadius, chart.Tint(chart.Color(r.Algorithm), 0.55))
	}
	line := make([]chart.Point, len(d.Frontier))
	for i, row := range d.Frontier {
		line[i] = a.At(d.shown(&d.Rows[row]))
	}
	a.Pen.Stroke(line, chart.Reference, 1.2)
	d.drawIntervals(a)
	a.Avoid(line)
	d.drawMarked(a)
	a.Place("without a limit", chart.SmallLetters, []chart.Point{chart.At(a.Right-90, level-4),
		chart.At(a.Right-90, level+12), chart.At(a.Left+4, level-4)})
}

// drawIntervals draws how exact the shares of the frontier are, where they are estimates.
func (d *Document) drawIntervals(a *chart.Axes) {
	for _, i := range d.Frontier {
		r := &d.Rows[i]
		e := d.Wishes.estimate(&r.Fitted)
		if e == nil || e.PlusMinus == nil || *e.PlusMinus == 0 {
			continue
		}
		x, y := d.shown(r)
		left, right := a.At(max(0, x-*e.PlusMinus), y), a.At(min(1, x+*e.PlusMinus), y)
		right.X = min(right.X, a.Right)
		a.Pen.Stroke([]chart.Point{left, right}, chart.Color(r.Algorithm), 2)
	}
}

// mark is a point with a name: several rows may stand there.
type mark struct {
	rows  []int
	label string
}

// drawMarked draws the frontier's settings and the present ones, and names those of which the answer speaks.
func (d *Document) drawMarked(a *chart.Axes) {
	marks := d.marks()
	var ends []chart.LineEnd
	for _, m := range marks {
		if m.label == "" {
			continue
		}
		r := &d.Rows[m.rows[0]]
		ends = append(ends, chart.LineEnd{At: a.At(d.shown(r)), Color: chart.Color(r.Algorithm),
			Label: chart.Shorten(m.label, 260, chart.FigureLetters)})
	}
	for _, i := range d.Frontier {
		a.Pen.Dot(a.At(d.shown(&d.Rows[i])), pointRadius, chart.Color(d.Rows[i].Algorithm))
	}
	// labels go to the right of their points: the rightmost has the least room
	slices.SortStableFunc(ends, func(p, q chart.LineEnd) int { return cmp.Compare(q.At.X, p.At.X) })
	a.PlaceAll(ends, pointRadius+1, chart.FigureLetters)
	for _, m := range marks {
		r := &d.Rows[m.rows[0]]
		at := a.At(d.shown(r))
		a.Pen.Dot(at, pointRadius+1.3, chart.Paper)
		switch {
		case r.Present && !is(d.Chosen, m.rows[0]):
			a.Pen.Diamond(at, pointRadius+1, chart.Color(r.Algorithm))
		case is(d.Chosen, m.rows[0]):
			a.Pen.Dot(at, pointRadius+1, chart.Color(r.Algorithm))
		default:
			a.Pen.Ring(at, pointRadius, chart.Color(r.Algorithm))
		}
	}
}

// marks are the points that stand out: what is chosen, or the nearest; the knee; and the present setting under each
// algorithm, of which one has a name. At one place there is one.
func (d *Document) marks() []mark {
	var all []mark
	add := func(i int, word string) {
		x, y := d.shown(&d.Rows[i])
		for k := range all {
			if atX, atY := d.shown(&d.Rows[all[k].rows[0]]); atX == x && atY == y {
				all[k].rows = append(all[k].rows, i)
				if all[k].label != "" && word != "" {
					all[k].label += ", " + word
				}
				return
			}
		}
		label := ""
		if word != "" {
			label = d.Rows[i].label() + ": " + word
		}
		all = append(all, mark{[]int{i}, label})
	}
	if d.Chosen != nil {
		add(*d.Chosen, "chosen")
	}
	for _, i := range d.Nearest {
		add(i, "nearest")
	}
	if d.Knee != nil {
		add(*d.Knee, "knee")
	}
	if named := d.best(func(r *Row) bool { return r.Present }, d.tie); named != nil {
		add(*named, "present")
	}
	for i := range d.Rows {
		if d.Rows[i].Present && !slices.ContainsFunc(all, func(m mark) bool { return slices.Contains(m.rows, i) }) {
			add(i, "")
		}
	}
	return all
}

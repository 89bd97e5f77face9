package recommend

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// PictureName is the name of the picture's files, without extension.
const PictureName = "recommendation"

// WritePicture draws the answer into dir, which must exist, in the formats named, or all where none is, and puts the
// data beside it: each candidate a point, the share of requests that it rejects wrongly against its highest window, and
// the tolerated area shaded. It returns the paths.
func WritePicture(dir string, d *Document, formats ...string) ([]string, error) {
	return chart.WriteAll(dir, []chart.Picture{d.picture()}, formats...)
}

// point is where one candidate or several stand.
type point struct {
	rejects, overshoot float64
	labels             []string
	qualifies          bool
	rank               int
}

func (d *Document) picture() chart.Picture {
	points := d.points()
	plot := chart.Plot{Horizontal: rootOfShares(d, points), Vertical: overshootAxis(d, points), Height: 340, Beside: 14}
	plot.Inside = func(a *chart.Axes) { d.drawPoints(a, points) }
	page := chart.Page{Title: d.pictureTitle(), Subtitle: d.pictureSubtitle(), Footer: d.footer(), Height: plot.Total(),
		Draw: plot.Draw}
	return chart.Picture{Name: PictureName, Page: page, Data: d.pictureData()}
}

func (d *Document) pictureTitle() string {
	if len(d.Traffic) == 1 {
		return fmt.Sprintf("Which limiter keeps %s under %s, and turns nobody away wrongly?",
			d.Traffic[0].Limit.String(), d.Traffic[0].Scenario)
	}
	return fmt.Sprintf("Which limiter keeps its limit in %d scenarios, and turns nobody away wrongly?", len(d.Traffic))
}

func (d *Document) pictureSubtitle() string {
	text := d.headline() + ". Shaded: what is tolerated. Numbers: the rank of those that qualify; rings: those that " +
		"do not."
	if len(d.Traffic) > 1 {
		text += " Each point is the worst of all scenarios."
	}
	return text
}

func (d *Document) footer() string {
	var parts []string
	for _, t := range d.Traffic {
		parts = append(parts, fmt.Sprintf("%s, seed %d", t.Scenario, t.Seed))
	}
	parts = append(parts, d.Server.String())
	if d.Tool.Version != "" {
		parts = append(parts, "ratelab "+d.Tool.Version)
	}
	return strings.Join(parts, "  ·  ")
}

// points joins the candidates that stand at one place, in their order.
func (d *Document) points() []point {
	var all []point
	at := map[[2]float64]int{}
	for i := range d.Candidates {
		c := &d.Candidates[i]
		place := [2]float64{c.FalseRejects.Value, c.Overshoot.Value}
		k, known := at[place]
		if !known {
			k = len(all)
			at[place] = k
			all = append(all, point{rejects: place[0], overshoot: place[1], rank: c.Rank, qualifies: c.Qualifies})
		}
		all[k].labels = append(all[k].labels, c.Algorithm)
		all[k].qualifies = all[k].qualifies || c.Qualifies
	}
	return all
}

// label is the first name at a point with its rank, and how many others stand there.
func (p *point) label() string {
	text := p.labels[0]
	if p.qualifies {
		text = fmt.Sprintf("%d  %s", p.rank, text)
	}
	if more := len(p.labels) - 1; more > 0 {
		text += " and " + message.Count(int64(more), "other")
	}
	return chart.Shorten(text, 300, chart.FigureLetters)
}

// rootOfShares is an axis of shares on which the small ones have room: the tolerance is a hundredth, the worst may be
// half of all.
func rootOfShares(d *Document, points []point) chart.Axis {
	top := max(4*d.Tolerance.MaxFalseRejects, 0.01)
	for _, p := range points {
		top = max(top, p.rejects)
	}
	top = min(top*1.1, 1)
	place := func(v float64) float64 { return math.Sqrt(v / top) }
	return chart.Axis{Unit: "requests rejected that the exact limit admits, share of all (root scale)", Share: place,
		Ticks: func(length float64) []chart.Tick {
			var ticks []chart.Tick
			last := math.Inf(-1)
			for _, v := range []float64{0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1} {
				if x := place(v) * length; v <= top && x-last >= 44 {
					ticks, last = append(ticks, chart.Tick{At: v, Label: given(v)}), x
				}
			}
			return ticks
		}}
}

// crowded is the overshoot from which on the axis is logarithmic: those near the limit would stand on a heap.
const crowded = 4.0

func overshootAxis(d *Document, points []point) chart.Axis {
	const unit = "highest window ÷ limit"
	low, top := 1.0, max(1.2, d.Tolerance.MaxOvershoot)
	for _, p := range points {
		top = max(top, p.overshoot)
		if p.overshoot > 0 {
			low = min(low, p.overshoot)
		}
	}
	if top <= crowded {
		return chart.Amounts(top, 40, unit)
	}
	return chart.Logarithmic(low*0.8, top*1.1, 40, unit+", logarithmic", chart.Short)
}

// tolerated is the colour of the area in which a candidate may stand.
var tolerated = color.NRGBA{0x00, 0x9e, 0x73, 0xff}

const pointRadius = 4.0

func (d *Document) drawPoints(a *chart.Axes, points []point) {
	right, top := min(a.X(d.Tolerance.MaxFalseRejects), a.Right), a.Y(d.Tolerance.MaxOvershoot)
	a.Pen.Rect(chart.Box{Left: a.Left, Top: top, Right: right, Bottom: a.Bottom}, chart.Tint(tolerated, 0.14))
	limit := a.Level(1)
	a.Pen.Stroke(limit, chart.Ink, 0.9, 4, 3)
	// where most of those that qualify stand
	a.Reserve(chart.Box{Left: a.Left, Top: a.Y(1) - 1, Right: a.Right, Bottom: a.Y(1) + 1})
	a.Avoid([]chart.Point{chart.At(right, top), chart.At(right, a.Bottom)})
	ends := make([]chart.LineEnd, len(points))
	for i, p := range points {
		ends[i] = chart.LineEnd{At: a.At(p.rejects, p.overshoot), Color: chart.Color(p.labels[0])}
		if p.qualifies {
			ends[i].Label = p.label()
		}
	}
	fromTheRight := slices.Clone(ends) // labels go to the right of their points: the rightmost has the least room
	slices.SortStableFunc(fromTheRight, func(p, q chart.LineEnd) int { return cmp.Compare(q.At.X, p.At.X) })
	a.PlaceAll(fromTheRight, pointRadius+1, chart.FigureLetters)
	for i := range points {
		drawPoint(a, &points[i], ends[i])
	}
	a.Place("limit", chart.SmallLetters,
		[]chart.Point{chart.At(a.Right-34, a.Y(1)-4), chart.At(a.Right-34, a.Y(1)+12), chart.At(a.Left+4, a.Y(1)-4)})
	words := "tolerated"
	a.Place(words, chart.SmallLetters, []chart.Point{chart.At(a.Left+4, a.Bottom-6), chart.At(a.Left+4, top+12)})
}

// drawPoint draws a disc where a candidate qualifies and a ring where none does, whose name stands there if it finds
// room.
func drawPoint(a *chart.Axes, p *point, end chart.LineEnd) {
	a.Pen.Dot(end.At, pointRadius+1.3, chart.Paper)
	if p.qualifies {
		a.Pen.Dot(end.At, pointRadius, end.Color)
		return
	}
	a.Pen.Ring(end.At, pointRadius, end.Color)
	text := p.label()
	a.Place(text, chart.SmallLetters, a.Around(end.At, chart.SmallLetters.Width(text)))
}

func (d *Document) pictureData() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"algorithm", "qualifies", "false_rejects_share", "overshoot", "max_false_rejects_share",
		"max_overshoot"})
	for i := range d.Candidates {
		c := &d.Candidates[i]
		_ = w.Write([]string{sheet.Defuse(c.Algorithm), fmt.Sprint(c.Qualifies), decimal(c.FalseRejects.Value),
			decimal(c.Overshoot.Value),
			decimal(d.Tolerance.MaxFalseRejects), decimal(d.Tolerance.MaxOvershoot)})
	}
	w.Flush()
	return out.Bytes()
}

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

// WritePicture draws the answers into dir, which must exist, in the formats named, or all where none is, and puts the
// data beside it: each candidate a point, its shortfall against the most that it let through, with the tolerated area
// shaded. It returns the paths.
func WritePicture(dir string, d *Document, formats ...string) ([]string, error) {
	return chart.WriteAll(dir, []chart.Picture{d.picture()}, formats...)
}

// point is where one candidate or several stand.
type point struct {
	shortfall, overshoot Spread
	labels               []string
	rank                 int // in the first answer; 0 for none of them
	promises             bool
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
		return fmt.Sprintf("Which limiter keeps %s under %s, and lets through what it might?",
			d.Traffic[0].Limit.String(), d.Traffic[0].Scenario)
	}
	return fmt.Sprintf("Which limiter keeps its limit in %d scenarios, and lets through what it might?", len(d.Traffic))
}

func (d *Document) pictureSubtitle() string {
	text := d.headlineHere() + ". " + d.headlineAnywhere() + ". Shaded: what is tolerated on this traffic. Numbers: " +
		"the rank there. Rings: those that do not keep it; *: promised on any traffic."
	if slices.ContainsFunc(d.Traffic, func(t Traffic) bool { return t.Seeds > 1 }) {
		text += " Points are medians, bars the range over the seeds."
	}
	if len(d.Traffic) > 1 {
		text += " Each point is the worst of all scenarios."
	}
	return text
}

func (d *Document) footer() string {
	var parts []string
	for _, t := range d.Traffic {
		parts = append(parts, fmt.Sprintf("%s, %s", t.Scenario, t.drawn()))
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
		place := [2]float64{c.Shortfall.Median, c.Overshoot.Median}
		k, known := at[place]
		if !known {
			k = len(all)
			at[place] = k
			all = append(all, point{shortfall: c.Shortfall.Spread, overshoot: c.Overshoot.Spread,
				rank: c.RankOnThisTraffic})
		}
		p := &all[k]
		if p.rank > 0 && !c.qualifies() {
			continue // the disc is about those that keep the tolerance; the data has the others
		}
		label := c.Algorithm
		if c.promises() {
			label += "*"
		}
		p.labels = append(p.labels, label)
		p.promises = p.promises || c.promises()
		p.shortfall, p.overshoot = p.shortfall.and(c.Shortfall.Spread), p.overshoot.and(c.Overshoot.Spread)
	}
	return all
}

// and is a spread that covers both.
func (s Spread) and(o Spread) Spread {
	return Spread{Median: s.Median, Least: min(s.Least, o.Least), Most: max(s.Most, o.Most)}
}

// label is the first name at a point with its rank, and how many others stand there.
func (p *point) label() string {
	text := p.labels[0]
	if p.rank > 0 {
		text = fmt.Sprintf("%d  %s", p.rank, text)
	}
	if more := len(p.labels) - 1; more > 0 {
		text += " and " + message.Count(int64(more), "other")
		if p.promises && !strings.HasSuffix(p.labels[0], "*") {
			text += "*"
		}
	}
	return chart.Shorten(text, 300, chart.FigureLetters)
}

// rootOfShares is an axis of shares on which the small ones have room: the tolerance is a hundredth, the worst may be
// half of all.
func rootOfShares(d *Document, points []point) chart.Axis {
	top := max(4*d.Tolerance.MaxShortfall, 0.01)
	for _, p := range points {
		top = max(top, p.shortfall.Most)
	}
	top = min(top*1.1, 1)
	place := func(v float64) float64 { return math.Sqrt(v / top) }
	return chart.Axis{Unit: "shortfall, of what an exact limiter lets through (root scale)", Share: place,
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
	const unit = "let through ÷ what the contract allows"
	low, top := 1.0, max(1.2, d.Tolerance.MaxOvershoot)
	for _, p := range points {
		top = max(top, p.overshoot.Most)
		if p.overshoot.Least > 0 {
			low = min(low, p.overshoot.Least)
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
	right, top := min(a.X(d.Tolerance.MaxShortfall), a.Right), a.Y(d.Tolerance.MaxOvershoot)
	a.Pen.Rect(chart.Box{Left: a.Left, Top: top, Right: right, Bottom: a.Bottom}, chart.Tint(tolerated, 0.14))
	limit := a.Level(1)
	a.Pen.Stroke(limit, chart.Ink, 0.9, 4, 3)
	// where most of those that qualify stand
	a.Reserve(chart.Box{Left: a.Left, Top: a.Y(1) - 1, Right: a.Right, Bottom: a.Y(1) + 1})
	a.Avoid([]chart.Point{chart.At(right, top), chart.At(right, a.Bottom)})
	ends := make([]chart.LineEnd, len(points))
	for i, p := range points {
		ends[i] = chart.LineEnd{At: a.At(p.shortfall.Median, p.overshoot.Median),
			Color: chart.Color(strings.TrimSuffix(p.labels[0], "*"))}
		drawRange(a, &p, chart.Tint(ends[i].Color, 0.45))
		if p.rank > 0 {
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

// drawRange draws how far the seeds lie apart, in both directions.
func drawRange(a *chart.Axes, p *point, c color.NRGBA) {
	bar := func(from, to chart.Point) {
		a.Pen.Stroke([]chart.Point{from, to}, c, 1)
		a.Reserve(chart.Box{Left: from.X - 1, Top: to.Y - 1, Right: to.X + 1, Bottom: from.Y + 1})
	}
	if s := p.overshoot; s.Most > s.Least && s.Least > 0 {
		bar(a.At(p.shortfall.Median, s.Least), a.At(p.shortfall.Median, s.Most))
	}
	if s := p.shortfall; s.Most > s.Least && p.overshoot.Median > 0 {
		bar(a.At(s.Least, p.overshoot.Median), a.At(s.Most, p.overshoot.Median))
	}
}

// drawPoint draws a disc where a candidate is in the first answer and a ring where none is, whose name stands there if
// it finds room.
func drawPoint(a *chart.Axes, p *point, end chart.LineEnd) {
	a.Pen.Dot(end.At, pointRadius+1.3, chart.Paper)
	if p.rank > 0 {
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
	_ = w.Write([]string{"algorithm", "rank_on_this_traffic", "rank_on_any_traffic", "shortfall_median",
		"shortfall_least", "shortfall_most", "overshoot_median", "overshoot_least", "overshoot_most", "max_shortfall",
		"max_overshoot"})
	for i := range d.Candidates {
		c := &d.Candidates[i]
		line := []string{sheet.Defuse(c.Algorithm), fmt.Sprint(c.RankOnThisTraffic), fmt.Sprint(c.RankOnAnyTraffic)}
		line = append(append(line, c.Shortfall.csv()...), c.Overshoot.csv()...)
		_ = w.Write(append(line, decimal(d.Tolerance.MaxShortfall), decimal(d.Tolerance.MaxOvershoot)))
	}
	w.Flush()
	return out.Bytes()
}

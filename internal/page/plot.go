package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// plot is one chart. Its curves are in the units of the data, x to the right and y upwards. The script reads exact
// values from the paths, and the browser stretches the paths to the available space.
type plot struct {
	Kind        string // the chart's name: window, cumulative or delay
	Caption     string
	Width, High string // of the plane, in units of the data
	Grid        string // path
	Limit       string // path of the dashed line
	Level       string // the name of that line
	Allowed     string // its value, in the key
	Above       string // path of the area above the limit
	XTicks      []tick
	YTicks      []tick
	YUnit       string
	Last        int // the index of the last bin

	// The script uses these for the time of a bin: the width of a step, the beginning if it is not 0, the end, and
	// their unit.
	Step, From, End, UnitName string
	OriginUS                  int64 // the time of 0, since 1970, if bins are named by dates; then the unit is 1 s

	ValueHead string // heading of the values in the key
	BoundHead string // heading of the second values; empty: none
	Curves    []curve
	Count     string // such as 8 of 18 shown; empty if all are drawn at first
}

// tick is a mark, and its place on the axis in percent.
type tick struct{ At, Label string }

// curve is a line and its entry in the key. Rows with equal lines share one.
type curve struct {
	Rows   []label
	Shown  label  // the row that determines the look
	Path   string // in units of the data
	Values string // the values of the points, if they differ from y
	Bound  string // path of the second values, dotted; may be empty
	Bounds string // their values
	Most   string // the highest value, in the key
	Second string // the second value, in the key
	Top    int64  // the highest value
	Off    bool   // none of its rows is drawn at first, in any chart
	Rest   bool   // it is not drawn at first in this chart, which has too many curves
}

// group joins rows with the same curve, and sorts the curves by their highest value.
type group struct{ curves []curve }

func (g *group) add(row label, c curve) {
	for i := range g.curves {
		if had := &g.curves[i]; had.Path == c.Path && had.Values == c.Values && had.Bounds == c.Bounds {
			had.Rows = append(had.Rows, row)
			had.choose()
			return
		}
	}
	c.Rows = []label{row}
	c.choose()
	g.curves = append(g.curves, c)
}

// choose uses the look of the first row that is drawn.
func (c *curve) choose() {
	i := slices.IndexFunc(c.Rows, func(r label) bool { return !r.Off })
	c.Shown, c.Off = c.Rows[max(i, 0)], i < 0
}

func (g *group) sorted() []curve {
	slices.SortStableFunc(g.curves, func(a, b curve) int { return cmp.Compare(b.Top, a.Top) })
	return g.curves
}

// mostCurves is the most curves that a chart draws at first. More could not be distinguished.
const mostCurves = 8

// rest marks all but mostCurves curves as not drawn at first. order has the numbers of labels, the first of which are
// drawn. rest returns how many of how many are drawn, or "" if all are.
func (g *group) rest(order []int) string {
	var drawn []*curve
	for i := range g.curves {
		if !g.curves[i].Off {
			drawn = append(drawn, &g.curves[i])
		}
	}
	if len(drawn) <= mostCurves {
		return ""
	}
	for _, c := range drawn {
		c.Rest = true
	}
	left := mostCurves
	for _, n := range order {
		i := slices.IndexFunc(drawn, func(c *curve) bool {
			return slices.ContainsFunc(c.Rows, func(r label) bool { return r.Index == n })
		})
		if i >= 0 && drawn[i].Rest && left > 0 {
			drawn[i].Rest = false
			left--
		}
	}
	return fmt.Sprintf("%d of %d shown: those furthest from exact", mostCurves-left, len(drawn))
}

// top returns the highest value of the curves that are drawn at first.
func (g *group) top() int64 {
	var top int64
	for _, c := range g.curves {
		if !c.Off && !c.Rest {
			top = max(top, c.Top)
		}
	}
	return top
}

// steps draws a value for each bin as a staircase in relative moves. Equal neighbours share one move.
func steps(values []int64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "M0 %d", values[0])
	for i := 0; i < len(values); {
		run := i + 1
		for run < len(values) && values[run] == values[i] {
			run++
		}
		fmt.Fprintf(&out, "h%d", run-i)
		if run < len(values) {
			fmt.Fprintf(&out, "v%d", values[run]-values[i])
		}
		i = run
	}
	return out.String()
}

// plotHeight is a plane's height in page.css, in px; plotWidth is its width on a wide screen.
const (
	plotHeight = 240
	plotWidth  = 640
)

// vertical marks an axis of counts from 0, with room for a label above top, and returns its end.
func (p *plot) vertical(top float64, unit string) (high float64) {
	axis := chart.Counts(top, plotHeight, unit)
	high = math.Ceil(1 / axis.Share(1))
	p.High, p.YUnit = report.Float(high), unit
	for _, t := range axis.Ticks(plotHeight) {
		p.YTicks = append(p.YTicks, tick{percentFrom(1 - t.Value/high), t.Label})
		if t.Value > 0 {
			p.Grid += fmt.Sprintf("M0 %sH%s", report.Float(t.Value), p.Width)
		}
	}
	return high
}

func (p *plot) horizontal(axis chart.Axis) {
	for _, t := range axis.Ticks(plotWidth) {
		if at := axis.Share(t.Value); at <= 1 {
			p.XTicks = append(p.XTicks, tick{percentFrom(at), t.Label})
		}
	}
}

func percentFrom(share float64) string { return report.Float(math.Round(share*1e4)/100) + "%" }

// valueHeads are the headings of the values in the key.
var valueHeads = map[curves.Drawing]string{curves.Level: "highest", curves.Sum: "in the end", curves.Wait: "longest"}

// timelinePlot returns a chart over time.
func timelinePlot(t curves.Timeline, l *labels) plot {
	p := overTime(t.OriginUS, t.FromUS, t.BinUS, t.EndUS)
	p.Kind, p.Caption, p.ValueHead = t.Name, t.Caption, valueHeads[t.Drawing]
	if t.Silence != "" {
		p.Caption += ". " + t.Silence
	}
	all := t.Curves
	if t.Reference != nil {
		all = append(all[:len(all):len(all)], *t.Reference)
	}
	var g group
	for _, c := range all {
		g.add(l.of(c.Label), curve{Path: steps(c.Values), Most: message.Grouped(c.Top), Top: c.Top})
	}
	p.Count = g.rest(l.order)
	if t.Drawing != curves.Level {
		p.vertical(float64(g.top()), t.Unit)
	} else {
		limit, name := t.Allows()
		high := p.vertical(float64(max(g.top(), limit)), t.Unit)
		p.Level, p.Allowed = "the "+name, message.Grouped(limit)
		p.Limit = fmt.Sprintf("M0 %dH%s", limit, p.Width)
		p.Above = fmt.Sprintf("%sV%s H0Z", p.Limit, report.Float(high))
	}
	p.Curves = g.sorted()
	return p
}

// span formats a duration in µs: 1.5 s.
func span(us int64) string {
	if us == 0 {
		return "0"
	}
	return report.Natural(float64(us))
}

// timePitch is the room for a label of time, in px.
const timePitch = 64

// overTime returns a plot over time without curves. The times are in µs. Each bin is one unit wide in its plane. The
// last bin may be shorter.
func overTime(originUS, fromUS, binUS, endUS int64) plot {
	from, step, end := float64(fromUS), float64(binUS), float64(endUS)
	unit := report.NaturalUnit(end - from)
	dated := chart.Dated(originUS, from, end)
	if dated {
		unit = 1e6
	}
	p := plot{Width: report.Float((end - from) / step), Last: int(math.Ceil((end-from)/step)) - 1,
		Step: report.Float(step / unit), End: report.Float(end / unit), UnitName: report.Natural(unit)[len("1 "):]}
	if fromUS > 0 {
		p.From = report.Float(from / unit)
	}
	if dated {
		p.OriginUS = originUS
	}
	p.horizontal(chart.Time(originUS, from, end, timePitch))
	return p
}

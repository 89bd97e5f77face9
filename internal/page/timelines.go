package page

import (
	"fmt"
	"math"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// valueHeads are the headings of the values in the key.
var valueHeads = map[curves.Drawing]string{curves.Level: "highest", curves.Sum: "in the end", curves.Wait: "longest"}

// timelinePlot is a chart over time.
func timelinePlot(t curves.Timeline, l *labels) plot {
	p := overTime(t.FromUS, t.BinUS, t.EndUS)
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

// span writes a duration in µs: 1.5 s.
func span(us int64) string {
	if us == 0 {
		return "0"
	}
	return report.Natural(float64(us))
}

// timePitch is the room for a label of time, in px.
const timePitch = 64

// overTime is a plot over time without curves; the times are in µs. Its plane is one place wide for each bin; the last
// bin may be a part.
func overTime(fromUS, binUS, endUS int64) plot {
	from, step, end := float64(fromUS), float64(binUS), float64(endUS)
	unit := report.NaturalUnit(end - from)
	p := plot{Width: report.Float((end - from) / step), Last: int(math.Ceil((end-from)/step)) - 1, Step: report.Float(step / unit),
		End: report.Float(end / unit), UnitName: report.Natural(unit)[len("1 "):]}
	if fromUS > 0 {
		p.From = report.Float(from / unit)
	}
	p.horizontal(chart.Time(from, end, timePitch))
	return p
}

package page

import (
	"fmt"
	"math"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// levelPlot is the chart on which an overshoot is seen.
func levelPlot(t curves.Timeline, l *labels) plot {
	p := timePlot(t)
	p.ValueHead = "highest"
	g, count := timeGroup(t, l)
	p.Count = count
	limit, name := t.Allows()
	p.Level = "the " + name
	high := p.vertical(float64(max(g.top(), limit)), t.Unit)
	p.Limit, p.Allowed = fmt.Sprintf("M0 %dH%s", limit, p.Width), message.Grouped(limit)
	p.Excess = fmt.Sprintf("M0 %dH%sV%s H0Z", limit, p.Width, number(high))
	p.Curves = g.sorted()
	return p
}

// sumPlot shows where an algorithm and the exact limit part, and whether they meet again.
func sumPlot(t curves.Timeline, l *labels) plot {
	p := timePlot(t)
	p.ValueHead = "in the end"
	g, count := timeGroup(t, l)
	p.Count = count
	p.vertical(float64(g.top()), t.Unit)
	p.Curves = g.sorted()
	return p
}

// heightPlot shows what a shaper asks of those it admits, or what a row holds; head is what its highest value is
// called.
func heightPlot(t curves.Timeline, l *labels, head string) plot {
	p := timePlot(t)
	p.ValueHead = head
	g, count := timeGroup(t, l)
	p.Count = count
	p.vertical(float64(g.top()), t.Unit)
	p.Curves = g.sorted()
	return p
}

// timeGroup has the curves of the rows, and that of the reference as the last where there is one; and how many of them
// are drawn, where not all are.
func timeGroup(t curves.Timeline, l *labels) (g *group, count string) {
	g = &group{}
	all := t.Curves
	if t.Reference != nil {
		all = append(all[:len(all):len(all)], *t.Reference)
	}
	for _, c := range all {
		g.add(l.of(c.Label), curve{Path: steps(c.Values), Most: message.Grouped(c.Top), Top: c.Top})
	}
	return g, g.rest(l.order)
}

// timePlot is a plot over time, without curves. Its plane is as many places wide as there are bins until the end, of
// which the last may be a part.
func timePlot(t curves.Timeline) plot {
	p := overTime(t.FromUS, t.BinUS, t.EndUS)
	p.Kind, p.Caption = t.Name, t.Caption
	if t.Silence != "" {
		p.Caption += ". " + t.Silence
	}
	return p
}

// overTime is a plot over a time that is cut into bins, all in µs.
func overTime(fromUS, binUS, endUS int64) plot {
	from, step, end := float64(fromUS), float64(binUS), float64(endUS)
	unit := report.NaturalUnit(end - from)
	p := plot{Width: number((end - from) / step), Last: int(math.Ceil((end-from)/step)) - 1, Step: number(step / unit),
		End: number(end / unit), UnitName: unitName(unit)}
	if fromUS > 0 {
		p.From = number(from / unit)
	}
	p.horizontal(chart.Time(from, end, timePitch))
	return p
}

// timePitch is the room that a label of time takes, px.
const timePitch = 64

// unitName is how a unit of so many µs is written.
func unitName(us float64) string {
	text := report.Natural(us)
	return text[len("1 "):]
}

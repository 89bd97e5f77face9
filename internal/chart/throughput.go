package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// throughput shows how much a server decides, and from how many connections on it decides no more.
func throughput(r *result.Document) (*Figure, string) {
	const name = "throughput"
	var all []ending
	var lines [][]any
	var levels []int
	top := 0.0
	for i := range r.Costs {
		c := &r.Costs[i]
		e := ending{label: c.Algorithm, text: c.Algorithm}
		for _, l := range c.Sweep {
			e.line = append(e.line, plotter.XY{X: float64(max(l.Connections, 1)), Y: l.ThroughputPerS})
			levels, top = append(levels, l.Connections), max(top, l.ThroughputPerS)
			lines = append(lines, []any{serverName(r), c.Algorithm, l.Connections, l.ThroughputPerS,
				report.OptionalFloat(l.ServerUSPerCall)})
		}
		if e.line != nil {
			all = append(all, e)
		}
	}
	if all == nil {
		return nil, name + ": no sweep over connections was measured"
	}
	slices.Sort(levels)
	f := benchFigure(r, nil, name, "How many decisions per second, over how many connections?", fmt.Sprintf(
		"Closed loop: each connection asks again as soon as it is answered. Limit %s, half of the requests accepted.",
		policy(r.Settings.CostLimit)))
	f.Data = rows("server,algorithm,connections,throughput_per_s,server_us_per_decision", lines)
	f.overlay(connectionAxis(slices.Compact(levels)), Amounts(top, 44, "decisions per second"), all)
	return f, ""
}

// connectionAxis has a place for each power of two, and a label for each number that was measured and has room.
func connectionAxis(levels []int) Axis {
	const beyond = 1.09 // of the first and the last number
	low, high := float64(max(levels[0], 1)), float64(levels[len(levels)-1])
	a := Axis{Unit: "connections, logarithmic", Min: low / beyond, Max: max(high, 2*low) * beyond, Log: true}
	a.Ticks = func(length float64) (ticks []plot.Tick) {
		last := math.Inf(-1)
		for _, n := range levels {
			if at := a.Share(float64(n)) * length; at-last >= 24 {
				ticks, last = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)}), at
			}
		}
		return ticks
	}
	return a
}

// ending is a row's line, and what is written at its end.
type ending struct {
	label, text string
	line        plotter.XYs
}

// overlay has all lines in one panel.
func (f *Figure) overlay(x, y Axis, all []ending) {
	var labels []string
	for _, e := range all {
		labels = append(labels, e.label)
	}
	looks := Looks(labels)
	ticks := x.Ticks
	x.Ticks = func(length float64) []plot.Tick { return ticks(0.7 * length) } // the rest is for the labels
	f.x, f.strips, f.height = x, []Axis{y}, max(300, float64(len(all))*15)
	f.columns = []column{{draw: []func(*panel){func(p *panel) {
		var texts ends
		for _, e := range all {
			look := looks[e.label]
			p.line(e.line, look.Color, 1.8, look.Dashes...)
			p.dots(e.line, 2.4, look.Color, dot)
			texts = append(texts, end{e.line[len(e.line)-1], look.Color, e.text})
		}
		p.Add(texts)
	}}}}
}

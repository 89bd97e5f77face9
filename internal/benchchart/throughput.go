package benchchart

import (
	"fmt"
	"slices"

	"ratelab/internal/chart"
)

// throughput shows how much a server decides, and from how many connections on it decides no more.
func (s *scene) throughput() (chart.Picture, bool) {
	labels, levels, top := s.sweeps()
	if len(levels) == 0 {
		s.leave("throughput", "no sweep over connections was measured")
		return chart.Picture{}, false
	}
	horizontal := connectionAxis(levels)
	p := page("How many decisions per second, over how many connections?",
		"Closed loop: each connection asks again as soon as it is answered. "+s.halfMix(), s.results, nil)
	if s.several() {
		p = s.throughputPanels(p, labels, horizontal, top)
	} else {
		p = s.throughputLines(p, labels, horizontal, top)
	}
	return chart.Picture{Name: "throughput", Page: p, Data: s.throughputData()}, true
}

// halfMix describes the traffic of the sweep.
func (s *scene) halfMix() string {
	return fmt.Sprintf("Limit %s, half of the requests accepted.", policy(s.costSettings().CostLimit))
}

// throughputLines draws one result: all algorithms together, each labelled at its line's end.
func (s *scene) throughputLines(p chart.Page, labels []string, horizontal chart.Axis, top float64) chart.Page {
	looks := chart.Looks(labels)
	plot := chart.Plot{Horizontal: horizontal, Vertical: chart.Amounts(top, 44, "decisions per second"),
		Height: plotHeight(len(labels)), Beside: chart.BesideWidth(labels)}
	plot.Inside = func(a *chart.Axes) {
		var ends []chart.LineEnd
		for _, label := range labels {
			points := sweepLine(a, costOf(s.results[0], label).Sweep)
			look := looks[label]
			a.Pen.Stroke(points, look.Color, 1.8, look.Dashes...)
			for _, q := range points {
				a.Pen.Dot(q, 2.4, look.Color)
			}
			ends = append(ends, chart.LineEnd{At: points[len(points)-1], Color: look.Color, Label: label})
		}
		a.LabelEnds(ends)
	}
	return figure(p, nil, plot.Total(), plot.Draw)
}

// plotHeight has room for a label of each line.
func plotHeight(lines int) float64 { return max(300, float64(lines)*15) }

// throughputPanels draws several results: a panel for each algorithm with a line for each result, and behind them
// those of the control.
func (s *scene) throughputPanels(p chart.Page, labels []string, horizontal chart.Axis, top float64) chart.Page {
	shown := slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == control && len(labels) > 1 })
	m := chart.Multiples{Horizontal: horizontal, Vertical: chart.Amounts(top, 20, "decisions per second")}
	for _, label := range shown {
		m.Panels = append(m.Panels, chart.Panel{Label: label, Color: chart.Color(label), Fact: s.throughputFact(label),
			Draw: func(a *chart.Axes) {
				s.drawSweeps(a, control, chart.Color(control))
				s.drawSweeps(a, label, chart.Color(label))
			}})
	}
	keys := s.resultKeys()
	if len(shown) < len(labels) {
		keys = append(keys, chart.AreaKey("the control none", chart.Color(control)))
	}
	return figure(p, keys, m.Height(), m.Draw)
}

func (s *scene) throughputData() []byte {
	t := newTable("server", "algorithm", "connections", "throughput_per_s", "server_us_per_decision")
	for i, r := range s.results {
		for _, c := range r.Costs {
			for _, l := range c.Sweep {
				t.add(s.names[i], c.Algorithm, l.Connections, l.ThroughputPerS, l.ServerUSPerCall)
			}
		}
	}
	return t.bytes()
}

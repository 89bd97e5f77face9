package benchchart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"ratelab/internal/drawing"
	"ratelab/internal/recording"
)

// throughput shows how much a server decides, and from how many connections on it decides no more.
func (s *scene) throughput() (drawing.Picture, bool) {
	labels, levels, top := s.sweeps()
	if len(levels) == 0 {
		s.leave("throughput", "no sweep over connections was measured")
		return drawing.Picture{}, false
	}
	horizontal := connectionAxis(levels)
	p := page("How many decisions per second, over how many connections?",
		"Closed loop: each connection asks again as soon as it is answered. "+s.halfMix(), s.recordings, nil)
	if s.several() {
		p = s.throughputPanels(p, labels, horizontal, top)
	} else {
		p = s.throughputLines(p, labels, horizontal, top)
	}
	return drawing.Picture{Name: "throughput", Page: p, Data: s.throughputData()}, true
}

// halfMix describes the traffic of the sweep.
func (s *scene) halfMix() string {
	return fmt.Sprintf("Limit %s, half of the requests accepted.", policy(s.costSettings().CostLimit))
}

// sweeps gives the algorithms that have a sweep, all numbers of connections, and the highest throughput.
func (s *scene) sweeps() (labels []string, levels []int, top float64) {
	for _, label := range s.labels() {
		any := false
		for _, r := range s.recordings {
			cost := costOf(r, label)
			if cost == nil || len(cost.Sweep) == 0 {
				continue
			}
			any = true
			for _, l := range cost.Sweep {
				levels, top = append(levels, l.Connections), max(top, l.ThroughputPerS)
			}
		}
		if any {
			labels = append(labels, label)
		}
	}
	slices.Sort(levels)
	return labels, slices.Compact(levels), top
}

// connectionAxis has a place for each power of two, and a label for each number that was measured and has room.
func connectionAxis(levels []int) drawing.Axis {
	low, high := math.Log2(float64(max(levels[0], 1))), math.Log2(float64(max(levels[len(levels)-1], 1)))
	span := max(high-low, 1)
	share := func(v float64) float64 { return (math.Log2(max(v, 1)) - low + 0.12) / (span + 0.24) }
	return drawing.Axis{Unit: "connections, logarithmic", Share: share, Ticks: func(length float64) []drawing.Tick {
		var ticks []drawing.Tick
		last := math.Inf(-1)
		for _, n := range levels {
			if at := share(float64(n)) * length; at-last >= 24 {
				ticks, last = append(ticks, drawing.Tick{At: float64(n), Label: strconv.Itoa(n)}), at
			}
		}
		return ticks
	}}
}

func sweepLine(a *drawing.Axes, sweep []recording.Level) []drawing.Point {
	var points []drawing.Point
	for _, l := range sweep {
		points = append(points, a.At(float64(l.Connections), l.ThroughputPerS))
	}
	return points
}

// throughputLines draws one recording: all algorithms together, each labelled at its line's end.
func (s *scene) throughputLines(p drawing.Page, labels []string, horizontal drawing.Axis, top float64) drawing.Page {
	looks := paints(labels)
	plot := drawing.Plot{Horizontal: horizontal, Vertical: drawing.Amounts(top, 44, "decisions per second"),
		Height: plotHeight(len(labels)), Beside: drawing.BesideWidth(labels)}
	plot.Inside = func(a *drawing.Axes) {
		var ends []drawing.LineEnd
		for _, label := range labels {
			points := sweepLine(a, costOf(s.recordings[0], label).Sweep)
			look := looks[label]
			a.Pen.Stroke(points, look.color, 1.8, look.dashes...)
			for _, q := range points {
				a.Pen.Dot(q, 2.4, look.color)
			}
			ends = append(ends, drawing.LineEnd{At: points[len(points)-1], Color: look.color, Label: label})
		}
		a.LabelEnds(ends)
	}
	return figure(p, nil, plot.Total(), plot.Draw)
}

// plotHeight has room for a label of each line.
func plotHeight(lines int) float64 { return max(300, float64(lines)*15) }

// throughputPanels draws several recordings: a panel for each algorithm with a line for each recording, and behind them
// those of the control.
func (s *scene) throughputPanels(p drawing.Page, labels []string, horizontal drawing.Axis, top float64) drawing.Page {
	shown := slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == control && len(labels) > 1 })
	m := drawing.Multiples{Horizontal: horizontal, Vertical: drawing.Amounts(top, 20, "decisions per second")}
	for _, label := range shown {
		m.Panels = append(m.Panels, drawing.Panel{Label: label, Color: drawing.Color(label), Fact: s.throughputFact(label),
			Draw: func(a *drawing.Axes) {
				s.drawSweeps(a, control, drawing.Floor)
				s.drawSweeps(a, label, drawing.Color(label))
			}})
	}
	keys := s.recordingKeys()
	if len(shown) < len(labels) {
		keys = append(keys, drawing.AreaKey("the control none", drawing.Floor))
	}
	return figure(p, keys, m.Height(), m.Draw)
}

// lineOf tells the recordings' lines apart.
var lineOf = [most][]float64{nil, {5, 2.5}, {1.6, 2}, {7, 2, 1.6, 2}}

func (s *scene) drawSweeps(a *drawing.Axes, label string, c color.NRGBA) {
	for i, r := range s.recordings {
		if cost := costOf(r, label); cost != nil && len(cost.Sweep) > 0 {
			points := sweepLine(a, cost.Sweep)
			a.Pen.Stroke(points, c, 1.6, lineOf[i]...)
			if len(points) == 1 {
				a.Pen.Dot(points[0], 2.4, c)
			}
		}
	}
}

// throughputFact is the best of each recording.
func (s *scene) throughputFact(label string) string {
	text := ""
	for _, r := range s.recordings {
		best := 0.0
		if cost := costOf(r, label); cost != nil {
			for _, l := range cost.Sweep {
				best = max(best, l.ThroughputPerS)
			}
		}
		figure := "not measured"
		if best > 0 {
			figure = perSecond(best)
		}
		if text != "" {
			figure = ", " + figure
		}
		text += figure
	}
	return "best " + text + " per second"
}

// perSecond writes a rate with three digits: 48.2 k, 913.
func perSecond(v float64) string {
	digits := 3 - 1 - int(math.Floor(math.Log10(max(v, 1))))
	return drawing.Short(roundTo(v, digits))
}

func (s *scene) throughputData() []byte {
	t := newTable("server", "algorithm", "connections", "throughput_per_s", "server_us_per_decision")
	for i, r := range s.recordings {
		for _, c := range r.Costs {
			for _, l := range c.Sweep {
				t.add(s.names[i], c.Algorithm, l.Connections, l.ThroughputPerS, l.ServerUSPerCall)
			}
		}
	}
	return t.bytes()
}

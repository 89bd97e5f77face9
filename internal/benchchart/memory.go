package benchchart

import (
	"fmt"
	"slices"
	"strconv"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// memory shows what a client's state takes as it fills: what is constant, and what grows with every request.
func (s *scene) memory() (chart.Picture, bool) {
	labels, low, high, most := s.fills()
	if len(labels) == 0 {
		s.leave("memory", "no fill was measured, or the server does not tell what a key takes")
		return chart.Picture{}, false
	}
	for i, r := range s.results {
		if !slices.ContainsFunc(r.Costs, func(c benchresult.Cost) bool { return len(c.Memory) > 0 }) {
			s.leave("memory", s.names[i]+" has no fill")
		}
	}
	looks := chart.Looks(labels)
	ends := map[string]string{}
	for _, label := range labels {
		ends[label] = label + "  " + s.lastFill(label)
	}
	var texts []string
	for _, label := range labels {
		texts = append(texts, ends[label])
	}
	plot := chart.Plot{
		Horizontal: chart.Logarithmic(1, most, 44, "admitted requests within the window, logarithmic", chart.Short),
		Vertical:   chart.Logarithmic(low, high, 30, "memory, logarithmic", inBytes),
		Height:     plotHeight(len(labels)), Beside: chart.BesideWidth(texts),
	}
	plot.Inside = func(a *chart.Axes) {
		var all []chart.LineEnd
		for _, label := range labels {
			all = append(all, chart.LineEnd{At: s.drawFills(a, label, looks[label]), Color: looks[label].Color,
				Label: ends[label]})
		}
		a.LabelEnds(all)
	}
	p := page("What does a client's state take as it fills?",
		fmt.Sprintf("Memory of one client's keys, as the server counts it. Limit %s, requests spread evenly over the "+
			"window.",
			policy(s.costSettings().FillLimit)), s.results, nil)
	p = figure(p, s.resultKeys(), plot.Total(), plot.Draw)
	return chart.Picture{Name: "memory", Page: p, Data: s.memoryData()}, true
}

func (s *scene) fills() (labels []string, low, high, most float64) {
	for _, label := range s.labels() {
		any := false
		for _, r := range s.results {
			cost := costOf(r, label)
			if cost == nil {
				continue
			}
			for _, f := range cost.Memory {
				if f.Bytes <= 0 {
					continue // no state at all
				}
				any = true
				if low == 0 || float64(f.Bytes) < low {
					low = float64(f.Bytes)
				}
				high, most = max(high, float64(f.Bytes)), max(most, float64(f.Entries))
			}
		}
		if any {
			labels = append(labels, label)
		}
	}
	return labels, low, high, most
}

// lastFill is what a full client takes: one figure, or the least and the most of the results.
func (s *scene) lastFill(label string) string {
	low, high := int64(0), int64(0)
	for _, r := range s.results {
		if cost := costOf(r, label); cost != nil && len(cost.Memory) > 0 {
			bytes := cost.Memory[len(cost.Memory)-1].Bytes
			if low == 0 || bytes < low {
				low = bytes
			}
			high = max(high, bytes)
		}
	}
	if low == high {
		return inBytes(float64(high))
	}
	return inBytes(float64(low)) + " to " + inBytes(float64(high))
}

// inBytes writes at most three digits: 88 B, 2.21 kB, 210 kB.
func inBytes(v float64) string {
	for _, unit := range []struct {
		factor float64
		name   string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if v >= unit.factor {
			return strconv.FormatFloat(v/unit.factor, 'g', 3, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " B"
}

// drawFills draws a line for each result, and gives the end of the first.
func (s *scene) drawFills(a *chart.Axes, label string, look chart.Look) chart.Point {
	var end chart.Point
	for i, r := range s.results {
		cost := costOf(r, label)
		if cost == nil || len(cost.Memory) == 0 {
			continue
		}
		var points []chart.Point
		for _, f := range cost.Memory {
			points = append(points, a.At(float64(f.Entries), float64(f.Bytes)))
		}
		dashes := look.Dashes
		if s.several() {
			dashes = lineOf[i]
		}
		a.Pen.Stroke(points, look.Color, 1.8, dashes...)
		for _, q := range points {
			a.Pen.Dot(q, 2.4, look.Color)
		}
		if end == (chart.Point{}) {
			end = points[len(points)-1]
		}
	}
	return end
}

// resultKeys is a legend of the results' lines, where there are several.
func (s *scene) resultKeys() []chart.Key {
	if !s.several() {
		return nil
	}
	var keys []chart.Key
	for i, name := range s.names {
		keys = append(keys, chart.LineKey(name, chart.Ink, 1.8, lineOf[i]...))
	}
	return keys
}

func (s *scene) memoryData() []byte {
	t := newTable("server", "algorithm", "entries", "bytes", "keys")
	for i, r := range s.results {
		for _, c := range r.Costs {
			for _, f := range c.Memory {
				t.add(s.names[i], c.Algorithm, f.Entries, f.Bytes, f.Keys)
			}
		}
	}
	return t.bytes()
}

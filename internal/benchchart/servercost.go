package benchchart

import (
	"fmt"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

// serverCost shows what a decision costs the server, the cheapest first.
func (s *scene) serverCost() (chart.Picture, bool) {
	lanes := s.lanes()
	var labels []string
	order := map[string]float64{}
	top := 0.0
	for _, label := range s.labels() {
		for i := range lanes {
			e, ok := lanes[i].of(label)
			if !ok {
				continue
			}
			if len(labels) == 0 || labels[len(labels)-1] != label {
				labels = append(labels, label)
			}
			order[label] += e.us
			top = max(top, e.highUS)
		}
	}
	if len(labels) == 0 {
		s.leave("server-cost", "the server did not tell what a call cost it; others use it, or it keeps no statistics")
		return chart.Picture{}, false
	}
	s.noteMissing("server-cost", lanes)
	all := expenses{lanes: lanes, labels: byValue(labels, order), top: top, floors: s.floors()}
	p := page("What does a decision cost the server?", s.serverCostSubtitle(), s.results, nil)
	p = figure(p, all.keys(), all.height(), all.draw)
	return chart.Picture{Name: "server-cost", Page: p, Data: s.serverCostData()}, true
}

// noteMissing names the lanes in which nothing was measured.
func (s *scene) noteMissing(picture string, lanes []lane) {
	for _, l := range lanes {
		found := false
		for _, label := range s.labels() {
			_, ok := l.of(label)
			found = found || ok
		}
		if !found {
			s.leave(picture, "nothing of "+l.name+": the server did not tell what a call cost it")
		}
	}
}

func (s *scene) serverCostSubtitle() string {
	text := fmt.Sprintf("Closed loop, %s, limit %s", connections(s.results), policy(s.costSettings().CostLimit))
	if s.several() {
		text += ", half of the requests accepted"
	}
	return text + ". Marks: medians of the rounds; lines: their least and most." + s.noiseInWords()
}

// noiseInWords tells what a difference must exceed to mean anything.
func (s *scene) noiseInWords() string {
	var parts []string
	for i, r := range s.results {
		if r.NoiseFloor.ServerUS <= 1 {
			continue
		}
		part := strings.Replace(sheet.Above(r.NoiseFloor.ServerUS), "%", " %", 1)
		if s.several() {
			part += " on " + s.names[i]
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return " The same code measured twice differs by up to " + strings.Join(parts, ", ") + "."
}

func (s *scene) serverCostData() []byte {
	t := newTable("server", "algorithm", "mix", "server_us_per_decision", "least_of_rounds_us", "most_of_rounds_us",
		"ratio_to_control", "noise_floor_ratio")
	for i, r := range s.results {
		for _, c := range r.Costs {
			for _, m := range c.Mixes {
				if e, ok := expenseOf(r, c.Algorithm, m.Mix); ok {
					t.add(s.names[i], c.Algorithm, m.Mix, e.us, e.lowUS, e.highUS, e.ratio, r.NoiseFloor.ServerUS)
				}
			}
		}
	}
	return t.bytes()
}

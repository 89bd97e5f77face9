package benchchart

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/drawing"
	"ratelab/internal/recording"
)

// expense is one figure of the server's cost with the spread of the rounds about it.
type expense struct {
	us, lowUS, highUS float64
	ratio             *float64 // to the control
}

// serverCost shows what a decision costs the server, the cheapest first.
func (s *scene) serverCost() (drawing.Picture, bool) {
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
		return drawing.Picture{}, false
	}
	s.noteMissing("server-cost", lanes)
	chart := expenses{lanes: lanes, labels: byValue(labels, order), top: top, floors: s.floors()}
	p := page("What does a decision cost the server?", s.serverCostSubtitle(), s.recordings, nil)
	p = figure(p, chart.keys(), chart.height(), chart.draw)
	return drawing.Picture{Name: "server-cost", Page: p, Data: s.serverCostData()}, true
}

// lane is one figure of each algorithm: a mix of the one recording, or one of several recordings.
type lane struct {
	name string
	mark mark
	of   func(label string) (expense, bool)
}

// lanes are the mixes of a single recording, and the half mix of each of several: more marks in a row cannot be read.
func (s *scene) lanes() []lane {
	var all []lane
	if s.several() {
		for i, r := range s.recordings {
			all = append(all, lane{s.names[i], markOf[i], func(label string) (expense, bool) {
				return expenseOf(r, label, recording.MixHalf)
			}})
		}
		return all
	}
	for i, mix := range []string{recording.MixAccepted, recording.MixRejected, recording.MixHalf} {
		name := map[string]string{recording.MixHalf: "half and half"}[mix]
		if name == "" {
			name = mix
		}
		all = append(all, lane{name, markOf[i], func(label string) (expense, bool) {
			return expenseOf(s.recordings[0], label, mix)
		}})
	}
	return all
}

func expenseOf(r *recording.Recording, label, mix string) (expense, bool) {
	m := mixOf(r, label, mix)
	if m == nil || m.ServerUSPerCall == nil {
		return expense{}, false
	}
	e := expense{us: *m.ServerUSPerCall, lowUS: *m.ServerUSPerCall, highUS: *m.ServerUSPerCall, ratio: m.RatioToControl}
	for _, sample := range m.Samples {
		if v := sample.ServerUSPerCall; v != nil {
			e.lowUS, e.highUS = min(e.lowUS, *v), max(e.highUS, *v)
		}
	}
	return e, true
}

func mixOf(r *recording.Recording, label, mix string) *recording.Mix {
	cost := costOf(r, label)
	if cost == nil {
		return nil
	}
	i := slices.IndexFunc(cost.Mixes, func(m recording.Mix) bool { return m.Mix == mix })
	if i < 0 {
		return nil
	}
	return &cost.Mixes[i]
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

// noise is the control's cost, and between what bounds a second measurement of the same code can lie.
type noise struct{ us, lowUS, highUS float64 }

// floors are the control's figures, one for each recording that has them.
func (s *scene) floors() []noise {
	var all []noise
	for _, r := range s.recordings {
		e, ok := expenseOf(r, control, recording.MixHalf)
		if !ok {
			continue
		}
		ratio := max(r.NoiseFloor.ServerUS, 1)
		all = append(all, noise{e.us, e.us / ratio, e.us * ratio})
	}
	return all
}

func (s *scene) serverCostSubtitle() string {
	limit := policy(s.costSettings().CostLimit)
	text := fmt.Sprintf("Closed loop, %s, limit %s. Marks: medians of the rounds; lines: their least and most.", connections(s.recordings), limit)
	if s.several() {
		text = fmt.Sprintf("Closed loop, %s, limit %s, half of the requests accepted. Marks: medians of the rounds; lines: their least and most.",
			connections(s.recordings), limit)
	}
	return text + s.noiseInWords()
}

// noiseInWords tells what a difference must exceed to mean anything.
func (s *scene) noiseInWords() string {
	var parts []string
	for i, r := range s.recordings {
		if r.NoiseFloor.ServerUS <= 1 {
			continue
		}
		part := fmt.Sprintf("%.1f %%", 100*(r.NoiseFloor.ServerUS-1))
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
	t := newTable("server", "algorithm", "mix", "server_us_per_decision", "least_of_rounds_us", "most_of_rounds_us", "ratio_to_control", "noise_floor_ratio")
	for i, r := range s.recordings {
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

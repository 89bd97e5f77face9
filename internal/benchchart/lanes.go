package benchchart

import (
	"slices"

	"ratelab/internal/benchresult"
)

// expense is one figure of the server's cost with the spread of the rounds about it.
type expense struct {
	us, lowUS, highUS float64
	ratio             *float64 // to the control
}

// lane is one figure of each algorithm: a mix of the one result, or one of several results.
type lane struct {
	name string
	mark mark
	of   func(label string) (expense, bool)
}

// lanes are the mixes of a single result, and the half mix of each of several: more marks in a row cannot be read.
func (s *scene) lanes() []lane {
	var all []lane
	if s.several() {
		for i, r := range s.results {
			all = append(all, lane{s.names[i], markOf[i], func(label string) (expense, bool) {
				return expenseOf(r, label, benchresult.MixHalf)
			}})
		}
		return all
	}
	for i, mix := range []string{benchresult.MixAccepted, benchresult.MixRejected, benchresult.MixHalf} {
		name := map[string]string{benchresult.MixHalf: "half and half"}[mix]
		if name == "" {
			name = mix
		}
		all = append(all, lane{name, markOf[i], func(label string) (expense, bool) {
			return expenseOf(s.results[0], label, mix)
		}})
	}
	return all
}

func expenseOf(r *benchresult.Document, label, mix string) (expense, bool) {
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

func mixOf(r *benchresult.Document, label, mix string) *benchresult.Mix {
	cost := costOf(r, label)
	if cost == nil {
		return nil
	}
	i := slices.IndexFunc(cost.Mixes, func(m benchresult.Mix) bool { return m.Mix == mix })
	if i < 0 {
		return nil
	}
	return &cost.Mixes[i]
}

// noise is the control's cost, and between what bounds a second measurement of the same code can lie.
type noise struct{ us, lowUS, highUS float64 }

// floors are the control's figures, one for each result that has them.
func (s *scene) floors() []noise {
	var all []noise
	for _, r := range s.results {
		e, ok := expenseOf(r, control, benchresult.MixHalf)
		if !ok {
			continue
		}
		ratio := max(r.NoiseFloor.ServerUS, 1)
		all = append(all, noise{e.us, e.us / ratio, e.us * ratio})
	}
	return all
}

package benchchart

import (
	"slices"

	"ratelab/internal/recording"
)

// expense is one figure of the server's cost with the spread of the rounds about it.
type expense struct {
	us, lowUS, highUS float64
	ratio             *float64 // to the control
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

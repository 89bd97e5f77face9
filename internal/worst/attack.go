package worst

import "slices"

// Attack is traffic of one client, without what anybody would have rejected: strikes one after the other.
type Attack struct {
	ShiftUS int64 // begins so long after the epoch of virtual time: the phase against the clock
	Strikes []Strike
}

// Strike is Times instants evenly spread over SpanUS, the k-th at ⌊k·SpanUS/Times⌋, with Size requests of the Cost at
// each; and then RestUS in which nothing comes. A single instant takes no time: SpanUS is 0.
type Strike struct {
	Size, Times, SpanUS int64
	Cost                int64
	RestUS              int64
}

// Requests is how many requests the attack makes.
func (a *Attack) Requests() int64 {
	var n int64
	for _, s := range a.Strikes {
		n += s.Size * s.Times
	}
	return n
}

// EndUS is when the attack is over, its last rest included, after its beginning.
func (a *Attack) EndUS() int64 {
	var at int64
	for _, s := range a.Strikes {
		at += s.SpanUS + s.RestUS
	}
	return at
}

// Phases is how many phases of a scenario the attack takes.
func (a *Attack) Phases() int {
	n := len(a.Strikes)
	for _, s := range a.Strikes {
		if s.Times > 1 && s.RestUS > 0 {
			n++ // a pause of its own
		}
	}
	return n
}

func (a *Attack) clone() Attack { return Attack{a.ShiftUS, slices.Clone(a.Strikes)} }

// instants calls visit for each instant of the attack, in order, until it returns false.
func (a *Attack) instants(visit func(atUS, cost, count int64) bool) {
	var begin int64
	for _, s := range a.Strikes {
		step, rest := s.SpanUS/s.Times, s.SpanUS%s.Times
		at, carry := begin, int64(0)
		for range s.Times {
			if !visit(at, s.Cost, s.Size) {
				return
			}
			at += step
			if carry += rest; carry >= s.Times {
				carry -= s.Times
				at++
			}
		}
		begin += s.SpanUS + s.RestUS
	}
}

// attack is what was admitted, as few strikes that say exactly the same.
func (p *played) attack() Attack {
	a := Attack{ShiftUS: p.shiftUS}
	for i := 0; i < len(p.admitted); {
		n, span := evenRun(p.admitted[i:])
		first := p.admitted[i]
		s := Strike{Size: first.count, Times: int64(n), SpanUS: span, Cost: first.cost}
		if next := i + n; next < len(p.admitted) {
			s.RestUS = p.admitted[next].atUS - first.atUS - span
		}
		a.Strikes = append(a.Strikes, s)
		i += n
	}
	return a
}

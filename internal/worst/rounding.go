package worst

// snap tries to move the strikes together to the next hundred milliseconds, ten, and so on, on the clock: the first
// back in time and the others on, or all of them to either side.
func (z *simplifier) snap() bool {
	for unit := int64(10_000_000); unit >= 10; unit /= 10 {
		for _, up := range [][2]bool{{false, true}, {false, false}, {true, true}} {
			if z.attempt(z.snapped(unit, up[0], up[1])) {
				return true
			}
		}
	}
	return false
}

// snapped is the present attack with each strike beginning at a multiple of unit; up says whether at the next one.
func (z *simplifier) snapped(unit int64, firstUp, othersUp bool) Attack {
	a := z.now.clone()
	at := a.ShiftUS
	free := rounded(at, unit, firstUp)
	a.ShiftUS = free
	for i := range a.Strikes {
		s := &a.Strikes[i]
		at += s.SpanUS + s.RestUS
		free += s.SpanUS
		if i+1 < len(a.Strikes) {
			next := max(free, rounded(at, unit, othersUp))
			s.RestUS = next - free
			free = next
		}
	}
	return a
}

// round tries rounder figures for the phase, for each span and for each rest.
func (z *simplifier) round() bool {
	for _, shift := range nearby(z.now.ShiftUS) {
		if z.attempt(z.with(func(a *Attack) { a.ShiftUS = shift })) {
			return true
		}
	}
	for i, s := range z.now.Strikes {
		for _, rest := range nearby(s.RestUS) {
			if z.attempt(z.with(func(a *Attack) { a.Strikes[i].RestUS = rest })) {
				return true
			}
		}
		if s.Times > 1 && z.roundSpan(i) {
			return true
		}
	}
	return false
}

// roundSpan tries rounder spans for the i-th strike; what follows stays where it is, or moves with it.
func (z *simplifier) roundSpan(i int) bool {
	s := z.now.Strikes[i]
	for _, span := range nearby(s.SpanUS) {
		if s.Size > 1 && span%s.Times != 0 || span < s.Times {
			continue
		}
		rest := s.RestUS + s.SpanUS - span
		if rest >= 0 && i+1 < len(z.now.Strikes) &&
			z.attempt(z.with(func(a *Attack) { a.Strikes[i].SpanUS, a.Strikes[i].RestUS = span, rest })) {
			return true
		}
		if z.attempt(z.with(func(a *Attack) { a.Strikes[i].SpanUS = span })) {
			return true
		}
	}
	return false
}

// nearby are numbers from 0 around n, the roundest first, n last.
func nearby(n int64) []int64 {
	all := []int64{0}
	for unit := int64(1e13); unit > 1; unit /= 10 {
		if down := rounded(n, unit, false); down > 0 {
			all = append(all, down)
		}
		if unit <= 10*n {
			all = append(all, rounded(n, unit, true))
		}
	}
	return append(all, n)
}

// rounded is the multiple of unit before n, or after it.
func rounded(n, unit int64, up bool) int64 {
	if up {
		n += unit - 1
	}
	return n / unit * unit
}

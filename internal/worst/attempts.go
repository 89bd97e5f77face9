package worst

import "slices"

// leaveOut tries to do without a strike, with the time that it takes or without, and without a rest.
func (z *simplifier) leaveOut() bool {
	for i := range z.now.Strikes {
		takes := z.now.Strikes[i].SpanUS + z.now.Strikes[i].RestUS
		out := func(a *Attack) { a.Strikes = slices.Delete(a.Strikes, i, i+1) }
		if len(z.now.Strikes) > 1 && (z.attempt(z.with(out)) || z.attempt(z.with(func(a *Attack) {
			out(a)
			a.waitBefore(i, takes)
		}))) {
			return true
		}
		if z.attempt(z.with(func(a *Attack) { a.Strikes[i].RestUS = 0 })) {
			return true
		}
	}
	return false
}

// waitBefore lets the i-th strike and what follows come later.
func (a *Attack) waitBefore(i int, us int64) {
	switch {
	case i == 0:
		a.ShiftUS += us
	case i <= len(a.Strikes):
		a.Strikes[i-1].RestUS += us
	}
}

// join tries one even stretch in the place of several strikes of the same kind, the longest first.
func (z *simplifier) join() bool {
	for i := range z.now.Strikes {
		for j := z.alike(i); j > i; j-- {
			if z.joinFrom(i, j) {
				return true
			}
		}
	}
	return false
}

// alike is the last strike of those from the i-th on that have its cost and size.
func (z *simplifier) alike(i int) int {
	all := z.now.Strikes
	j := i
	for j+1 < len(all) && all[j+1].Cost == all[i].Cost && all[j+1].Size == all[i].Size {
		j++
	}
	return j
}

// joinFrom puts one stretch in the place of the strikes i to j. It may begin a little later, since the stretch rounds
// its times down.
func (z *simplifier) joinFrom(i, j int) bool {
	part := Attack{Strikes: z.now.Strikes[i : j+1]}
	var last, n int64
	part.instants(func(atUS, _, _ int64) bool { last, n = atUS, n+1; return true })
	if n < 3 {
		return false
	}
	room := part.EndUS()
	if j+1 == len(z.now.Strikes) {
		room = 2*last + 1 // nobody waits
	}
	ideal := last + last/(n-1)
	for _, span := range nearby(ideal) {
		for late := range int64(3) {
			joined := Strike{Size: part.Strikes[0].Size, Times: n, SpanUS: span, Cost: part.Strikes[0].Cost}
			if joined.RestUS = room - span - late; joined.RestUS < 0 || joined.Size > 1 && span%n != 0 {
				continue
			}
			if j+1 == len(z.now.Strikes) {
				joined.RestUS = 0
			}
			if z.attempt(z.with(func(a *Attack) {
				a.Strikes = slices.Replace(a.Strikes, i, j+1, joined)
				a.waitBefore(i, late)
			})) {
				return true
			}
		}
	}
	return false
}

// pullBack lets an even stretch begin with the last request of the burst before it, where both together are rounder:
// 99 and then 100 in a second, instead of 100, 10 ms, and then 99 in 990 ms.
func (z *simplifier) pullBack() bool {
	for i := 0; i+1 < len(z.now.Strikes); i++ {
		burst, even := z.now.Strikes[i], z.now.Strikes[i+1]
		if burst.Times > 1 || burst.Size < 2 || even.Times < 2 || even.Size != 1 || even.Cost != burst.Cost {
			continue
		}
		for _, span := range nearby(even.SpanUS + burst.RestUS) {
			if z.attempt(z.with(func(a *Attack) {
				a.Strikes[i].Size, a.Strikes[i].RestUS = burst.Size-1, 0
				a.Strikes[i+1].Times, a.Strikes[i+1].SpanUS = even.Times+1, span
			})) {
				return true
			}
		}
	}
	return false
}

// shrink tries fewer requests at an instant, and fewer instants.
func (z *simplifier) shrink() bool {
	for i, s := range z.now.Strikes {
		for less := s.Size - 1; less >= 1; less /= 2 {
			if z.attempt(z.with(func(a *Attack) { a.Strikes[i].Size = s.Size - less })) {
				return true
			}
		}
		for _, times := range []int64{s.Times / 2, s.Times - 1} {
			if times >= 2 && z.attempt(z.with(func(a *Attack) { a.Strikes[i].Times = times })) {
				return true
			}
		}
	}
	return false
}

package worst

import "slices"

// simplifier makes an attack smaller as long as it admits as much: fewer phases first, then fewer requests, then
// rounder figures. Every attempt is decided anew, within the budget of the search.
type simplifier struct {
	search *search
	now    Attack
	target int64 // the peak to keep
}

// simplify is the smallest attack found that admits as much as what was played, and how much that is. Where the budget
// ends earlier it is not the smallest, but shows the same.
func (s *search) simplify(p played) (Attack, int64) {
	reduced := s.reduce(p)
	z := &simplifier{search: s, now: reduced.attack(), target: reduced.peak}
	if !z.holds(z.now) { // the budget does not suffice to decide it once more
		return z.now, z.target
	}
	for changed := true; changed && !s.over(); {
		changed = false
		for _, attempts := range []func() bool{z.leaveOut, z.join, z.pullBack, z.shrink, z.snap, z.round} {
			for attempts() {
				changed = true
			}
		}
	}
	return z.now, z.target
}

// evened is the smallest attack for what a found one did in a train of bursts, where each request is taken as soon as
// it is promised instead: a bucket's 10 every 100 ms for nearly a second, and a shorter wait, are 100 a second. It
// admits nothing where there is no such train, or where it cannot be afforded.
func (s *search) evened(a Attack) (Attack, int64) {
	train := func(k Strike) bool { return k.Times > 1 && k.Size > 1 }
	if !slices.ContainsFunc(a.Strikes, train) || s.over() {
		return Attack{}, 0
	}
	even := s.shown.clone()
	for i := range even.moves {
		even.moves[i].full = false
	}
	p := s.play(even)
	if s.over() {
		return Attack{}, 0
	}
	return s.simplify(p)
}

// reduce leaves out what comes after the worst interval, which changes nothing, and of what comes before it all that
// the interval does not need: in ever smaller chunks (A. Zeller and R. Hildebrandt, Simplifying and isolating
// failure-inducing input, 2002).
func (s *search) reduce(p played) played {
	most, from, to := highest(p.admitted, s.WithinUS)
	p.admitted, p.peak = p.admitted[:to], most
	for chunk := from; chunk > 0; chunk /= 2 {
		for i := 0; i+chunk <= from && !s.over(); {
			without := played{p.shiftUS, slices.Concat(p.admitted[:i], p.admitted[i+chunk:]), p.peak}
			if got, ok := s.replay(without.each); !ok || got < most {
				i += chunk
				continue
			}
			p.admitted, from = without.admitted, from-chunk
		}
	}
	return p.fromZero()
}

// fromZero is the same with the first request at the beginning.
func (p played) fromZero() played {
	if len(p.admitted) == 0 {
		return p
	}
	first := p.admitted[0].atUS
	moved := make([]admission, len(p.admitted))
	for i, a := range p.admitted {
		moved[i] = admission{a.atUS - first, a.cost, a.count}
	}
	return played{p.shiftUS + first, moved, p.peak}
}

// each calls visit for each admission, with its time on the clock.
func (p *played) each(visit func(clockUS, cost, count int64) bool) {
	for _, a := range p.admitted {
		if !visit(epochUS+p.shiftUS+a.atUS, a.cost, a.count) {
			return
		}
	}
}

// each calls visit for each instant, with its time on the clock.
func (a *Attack) each(visit func(clockUS, cost, count int64) bool) {
	a.instants(func(atUS, cost, count int64) bool { return visit(epochUS+a.ShiftUS+atUS, cost, count) })
}

// replay decides requests anew and gives their peak; ok is false where the budget ends before.
func (s *search) replay(each func(visit func(clockUS, cost, count int64) bool)) (most int64, ok bool) {
	model, ok := s.Instance.NewModel(), true
	var admitted []admission
	each(func(clockUS, cost, count int64) bool {
		passed, n, b := int64(0), int64(1), s.blocks(cost)
		for passed < count {
			d, decided := s.ask(model, clockUS, n*cost)
			if !decided {
				ok = false
				return false
			}
			if !d.Allowed() {
				break // and so are its equals at this instant
			}
			passed += n
			n = b.next(model, clockUS, count-passed, d.Remaining)
		}
		if passed > 0 {
			admitted = append(admitted, admission{clockUS, cost, passed})
		}
		return true
	})
	return peak(admitted, s.WithinUS), ok
}

// shortened is as much of the end of an attack as one file can say, and what it admits. Only a search that was cut
// short leaves traffic of so many kinds.
func (p Problem) shortened(a Attack) (Attack, int64) {
	for a.Phases() > mostPhases {
		first := a.Strikes[0]
		a.Strikes = a.Strikes[1:]
		a.ShiftUS += first.SpanUS + first.RestUS
	}
	return a, p.oneByOne(a)
}

// oneByOne is what the attack admits where each request is asked for by itself; these decisions are beyond the budget.
func (p Problem) oneByOne(a Attack) int64 {
	p.Stop, p.Progress = nil, nil
	s := newSearch(p)
	s.units, s.budget = true, a.Requests()+1
	most, _ := s.replay(a.each)
	return most
}

func (z *simplifier) holds(a Attack) bool {
	got, ok := z.search.replay(a.each)
	return ok && got >= z.target
}

// attempt takes a in the place of the present attack if it is simpler and admits as much.
func (z *simplifier) attempt(a Attack) bool {
	if !a.simplerThan(&z.now) || !z.holds(a) {
		return false
	}
	z.now = a
	return true
}

// with is the present attack with its strikes changed.
func (z *simplifier) with(change func(a *Attack)) Attack {
	a := z.now.clone()
	change(&a)
	return a
}

// simplerThan compares phases, then requests, then digits.
func (a *Attack) simplerThan(b *Attack) bool {
	if p, q := a.Phases(), b.Phases(); p != q {
		return p < q
	}
	if p, q := a.Requests(), b.Requests(); p != q {
		return p < q
	}
	return a.digits() < b.digits()
}

// digits is how many digits, but for zeros at their ends, the figures of the attack have.
func (a *Attack) digits() int {
	n := digits(a.ShiftUS)
	for _, s := range a.Strikes {
		n += digits(s.Size) + digits(s.RestUS)
		if s.Times > 1 {
			n += digits(s.Times) + digits(s.SpanUS)
		}
	}
	return n
}

func digits(n int64) int {
	count := 0
	for ; n > 0; n /= 10 {
		if n%10 != 0 || count > 0 {
			count++
		}
	}
	return count
}

package worst

import "math/rand/v2"

// climbs and steps bound the local search: from each of the leaders in turn, so many small changes at random, of which
// those are kept that do no harm.
const (
	climbs = 8
	steps  = 80
)

// climb improves the best plans of the survey by chance.
func (s *search) climb() {
	from := append([]scored{}, s.leaders...)
	for i := 0; i < climbs && len(from) > 0; i++ {
		current := from[i%len(from)]
		for range steps {
			if s.done() {
				return
			}
			next := s.mutate(current.plan.clone())
			if peak := s.try(next); peak >= current.peak {
				current = scored{next, peak}
			}
		}
	}
}

// mostMoves bounds how complicated a plan becomes.
const mostMoves = 8

// mutate changes one thing about p, which it may keep.
func (s *search) mutate(p plan) plan {
	i := s.random.IntN(len(p.moves))
	m := &p.moves[i]
	switch s.random.IntN(8) {
	case 0:
		p.shiftUS = max(0, p.shiftUS+s.nudge())
	case 1:
		p.shiftUS = s.random.Int64N(s.Instance.Policy.WindowUS())
	case 2, 3:
		m.waitUS += s.nudge()
	case 4:
		m.after, m.waitUS = anchor(s.random.IntN(3)), s.random.Int64N(s.Instance.Policy.WindowUS())
	case 5:
		m.ms = !m.ms
		m.costs = pick(s.random, s.modes())
	case 6:
		if m.count != everything {
			m.count = 1 + s.random.Int64N(s.Instance.Policy.Capacity())
		}
	case 7:
		p.moves = s.remodel(p.moves, i)
	}
	return p
}

// remodel takes the i-th move out, or puts one before it.
func (s *search) remodel(moves []move, i int) []move {
	if len(moves) > 1 && (s.random.IntN(2) == 0 || len(moves) >= mostMoves) {
		return append(moves[:i], moves[i+1:]...)
	}
	extra := pick(s.random, s.gaps())
	extra.count = pick(s.random, []int64{1, everything})
	moves = append(moves, move{})
	copy(moves[i+1:], moves[i:])
	moves[i] = extra
	return moves
}

// nudge is a small change of a time, of any order of magnitude up to the window's.
func (s *search) nudge() int64 {
	span := s.Instance.Policy.WindowUS()
	for range s.random.IntN(8) {
		span = max(1, span/10)
	}
	return s.random.Int64N(2*span+1) - span
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

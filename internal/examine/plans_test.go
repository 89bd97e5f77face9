package examine

import "slices"

// survey tries the plans that an experienced adversary would begin with: a flood, the same after one or more single
// requests that open windows or keep a key alive, at several phases of the clock, and then whatever the replies
// promise. Those with fewer and plainer ingredients come first.
func (s *search) survey() {
	first := s.refills() // first of all: it may be all that the budget allows
	first.costs = s.modes()[0]
	s.try(plan{0, []move{first}})
	s.learn()
	for _, p := range s.starts() {
		if s.done() {
			return
		}
		s.try(p)
	}
}

// refillsMost and surveyMost bound the plans of the survey: those that refill are few, lest they take the budget of
// the others where they do not reach the bound.
const (
	refillsMost = 200
	surveyMost  = 1600
)

// starts are the survey's plans, the plainest first.
func (s *search) starts() []plan {
	shifts, gaps := s.shifts(), s.gaps()
	flood := move{count: everything, forUS: s.WithinUS} // takes everything, for as long as the interval lasts
	byMS := flood
	byMS.ms = true
	var plans []plan
	for _, part := range []struct {
		ends []move
		most int
	}{
		{[]move{s.refills()}, refillsMost},
		{[]move{flood, byMS}, surveyMost},
	} {
		var all []ranked
		for i, shift := range shifts {
			for j, mode := range s.modes() {
				for k, end := range part.ends {
					end.costs = mode
					all = append(all, ranked{i + j + k, plan{shift, []move{end}}})
					all = append(all, primed(shift, gaps, end, i+j+k)...)
				}
			}
		}
		slices.SortStableFunc(all, func(a, b ranked) int { return a.rank - b.rank })
		for _, r := range all[:min(len(all), part.most)] {
			plans = append(plans, r.plan)
		}
	}
	return plans
}

// refills empties what there is, lets it fill, and takes it again until the interval ends: most of what counters,
// windows and buckets can be made to do, in few and large blocks.
func (s *search) refills() move { return move{count: everything, forUS: s.WithinUS, full: true} }

// ranked is a plan and how far-fetched it is.
type ranked struct {
	rank int
	plan plan
}

// mostPrimers is how many single requests go before a flood.
const mostPrimers = 3

// primed are plans with one to mostPrimers single requests before the end, spaced by one gap, and by another before it.
func primed(shift int64, gaps []move, end move, rank int) []ranked {
	var all []ranked
	for n := 1; n <= mostPrimers; n++ {
		for i, spacing := range gaps {
			if n == 1 && i > 0 {
				break // there is nothing to space
			}
			for j, gap := range gaps {
				moves := []move{{count: 1}}
				for range n - 1 {
					spacing.count = 1
					moves = append(moves, spacing)
				}
				last := end
				last.reset, last.waitUS = gap.reset, gap.waitUS
				all = append(all, ranked{rank + n + i + j, plan{shift, append(moves, last)}})
			}
		}
	}
	return all
}

func (s *search) modes() []costs {
	if s.LargestCost == 1 {
		return []costs{single}
	}
	return []costs{finished, finishing, largest, single}
}

// gaps are waits between two moves.
func (s *search) gaps() []move {
	w := s.Limiter.Policy.WindowUS()
	gaps := []move{{reset: true, waitUS: -1}, {waitUS: w - 1}, {reset: true}, {waitUS: w}}
	for _, wait := range s.learned.waits {
		gaps = append(gaps, move{waitUS: wait - 1})
	}
	gaps = append(gaps, move{reset: true, waitUS: -1000}, move{waitUS: w - 1000}, move{waitUS: 1},
		move{waitUS: w / 2}, move{waitUS: 1000})
	return distinct(gaps)
}

// shifts are phases of the clock at which to begin: the ends of a window, of a second and of a millisecond, and those
// of whatever the replies speak of.
func (s *search) shifts() []int64 {
	w := s.Limiter.Policy.WindowUS()
	shifts := []int64{0, s.phase(w - 1), s.phase(w - 1000)}
	shifts = append(shifts, s.learned.shifts...)
	shifts = append(shifts, s.phase(0), s.phase(w/2), 1, 999, 1000, 999_999, s.phase(w-1_000_000))
	return distinct(slices.DeleteFunc(shifts, func(us int64) bool { return us < 0 }))
}

// distinct is all without what came before.
func distinct[T comparable](all []T) []T {
	var once []T
	for _, x := range all {
		if !slices.Contains(once, x) {
			once = append(once, x)
		}
	}
	return once
}

// phase is the first shift after which the clock stands at offsetUS after a multiple of the window.
func (s *search) phase(offsetUS int64) int64 {
	w := s.Limiter.Policy.WindowUS()
	return ((offsetUS-epochUS)%w + w) % w
}

// lessons are what the replies to a single request and to a flood speak of: waits, and phases of the clock.
type lessons struct{ waits, shifts []int64 }

// learn asks one request, and floods, at two phases of the clock that are nothing special. Each time that a reply names
// may be a border that matters: the moment before it is tried as a phase, and the wait until then as a gap. A flood
// that goes on may need some time to use up a window: so long before the window's end is tried, too.
func (s *search) learn() {
	w := s.Limiter.Policy.WindowUS()
	for _, shift := range []int64{s.phase(1), s.phase(w / 3)} {
		for _, count := range []int64{1, everything} {
			l := &player{search: s, limiter: s.Limiter.NewModel(), startUS: epochUS + shift}
			l.take(count, single)
			for _, wait := range []int64{l.last.ResetAfterUS, l.last.RetryAfterUS} {
				if wait > 0 {
					s.learned.waits = append(s.learned.waits, wait)
					s.learned.shifts = append(s.learned.shifts, s.phase(l.startUS+wait-1))
				}
			}
		}
		l := &player{search: s, limiter: s.Limiter.NewModel(), startUS: epochUS + shift}
		all := s.Budget // of which a flood that never rests takes a twentieth
		s.Budget = min(all, s.spent+all/20)
		l.saturate(move{forUS: 2 * w})
		s.Budget = all
		if busy := busyUS(l.admitted); busy > 0 {
			s.learned.waits = append(s.learned.waits, w-busy)
			s.learned.shifts = append(s.learned.shifts, s.phase(w-busy-1000))
		}
	}
}

// busyUS is how long a flood was admitted before its longest silence.
func busyUS(all []Strike) (us int64) {
	longest := int64(0)
	for i := 1; i < len(all); i++ {
		if silence := all[i].AtUS - all[i-1].AtUS; silence > longest {
			longest, us = silence, all[i-1].AtUS-all[0].AtUS
		}
	}
	return us
}

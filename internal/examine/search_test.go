package examine

import (
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// Problem is the search for the traffic with which a limiter admits the most in any interval of a given length. It
// asks the algorithm's Go model, as an adversary would ask the limiter: it knows no algorithm and no family of them,
// only clocks, costs and the replies. It may copy the model, which nobody can do to a limiter, to learn whether many
// requests can be asked for as one. What it finds is a lower bound of the worst case, however close to the algorithm's
// own upper bound; it proves nothing.
//
// Limiter must promise something: its MostAdmitted is not nil. It has no Gateways: between
// those a rejected request takes a turn, and the search forgets what was rejected.
type Problem struct {
	Limiter     algorithms.Rule
	WithinUS    int64 // the interval's length, from 1 µs
	LargestCost int64 // no request costs more; at least 1
	Budget      int64 // decisions of the model that the search may take; at least 1
}

// DefaultBudget is enough for every algorithm there is.
const DefaultBudget = 2_000_000

// Found is the worst traffic that a search found, of one client, without what was rejected.
type Found struct {
	Start     time.Time // of the traffic on the clock
	Strikes   []Strike
	Most      int64 // admitted in an interval of the length
	Bound     int64 // what the algorithm promises not to exceed
	Decisions int64 // of the model, that the search took
	Complete  bool  // everything was tried that the search knows to try; otherwise the budget ran out
}

// Strike is so many requests of one cost that were admitted at one instant.
type Strike struct{ AtUS, Cost, Count int64 } // AtUS: since the start

// Broken reports whether the algorithm's promise does not hold.
func (f *Found) Broken() bool { return f.Most > f.Bound }

// keyName is the only client's key, as traffic names it.
const keyName = "k0"

// epochUS is when virtual time begins without a shift of phase.
var epochUS = scenario.DefaultStart.UnixMicro()

// Search looks for the worst traffic. The same problem has the same answer.
//
// It asks for the requests of one instant in blocks. Where the answer, asked for one by one, does not admit as much, a
// block is no sum of requests, and everything is searched again without.
func (p Problem) Search() Found {
	found := p.search(false)
	if p.oneByOne(&found) < found.Most {
		return p.search(true)
	}
	return found
}

// search is Search with blocks, or by units.
func (p Problem) search(units bool) Found {
	s := newSearch(p, units)
	s.survey()
	most, to := highest(s.best.admitted, p.WithinUS)
	return Found{
		Start: time.UnixMicro(epochUS + s.best.shiftUS).UTC(), Strikes: s.best.admitted[:to],
		Most: most, Bound: s.bound, Decisions: s.spent,
		Complete: !s.over() && (!s.cut || s.best.peak >= s.bound),
	}
}

// oneByOne is what the traffic admits where each request is asked for by itself; these decisions are beyond the budget.
func (p Problem) oneByOne(f *Found) int64 {
	model, startUS := p.Limiter.NewModel(), f.Start.UnixMicro()
	var admitted []Strike
	for _, s := range f.Strikes {
		passed := int64(0)
		for passed < s.Count && model.Decide(startUS+s.AtUS, startUS+s.AtUS, keyName, s.Cost).Allowed() {
			passed++
		}
		admitted = append(admitted, Strike{s.AtUS, s.Cost, passed})
	}
	most, _ := highest(admitted, p.WithinUS)
	return most
}

// search is one search on its way.
type search struct {
	Problem
	bound int64

	spent int64 // decisions
	units bool  // one request at a time; otherwise those of one instant are asked for in blocks
	cut   bool  // a plan would have made more requests than the traffic may have

	best    played // the worst so far
	learned lessons
}

func newSearch(p Problem, units bool) *search {
	return &search{Problem: p, units: units, bound: p.Limiter.MostAdmitted(p.WithinUS, p.LargestCost)}
}

// ask lets the model decide one request, or a block of them, unless the budget is spent.
func (s *search) ask(l limit.Model, atUS, cost int64) (d limit.Decision, ok bool) {
	if s.over() {
		return limit.Decision{}, false
	}
	s.spent++
	return l.Decide(atUS, atUS, keyName, cost), true
}

// mostRequests is how many the traffic may have: in the end they are decided one by one.
func (p Problem) mostRequests() int64 { return 2 * p.Budget }

// over reports whether nothing more may be asked.
func (s *search) over() bool { return s.spent >= s.Budget }

// done reports whether nothing more is worth asking: the bound is reached, or broken.
func (s *search) done() bool { return s.over() || s.best.peak >= s.bound }

// try plays a plan, and keeps what it did if that is the worst so far. What the rest of a budget cuts short counts too:
// its beginning is traffic like any other.
func (s *search) try(p plan) {
	if result := s.play(p); result.peak > s.best.peak {
		s.best = result
	}
}

// highest is the most that was admitted in any half-open interval (t − w, t] of w = widthUS, and how many of the
// strikes come no later than the first interval that has it.
func highest(all []Strike, widthUS int64) (most int64, to int) {
	var sum int64
	first := 0
	for i, a := range all {
		sum += a.Cost * a.Count
		for all[first].AtUS <= a.AtUS-widthUS {
			sum -= all[first].Cost * all[first].Count
			first++
		}
		if sum > most {
			most, to = sum, i+1
		}
	}
	return most, to
}

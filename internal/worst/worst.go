// Package worst looks for the traffic with which a rate limiter admits the most in any interval of a given length, and
// makes the smallest scenario of it that shows the same. The search asks the algorithm's Go model, as an adversary
// would ask the limiter: it knows no algorithm and no family of them, only clocks, costs and the replies. It may copy
// the model, which nobody can do to a limiter, to learn whether many requests can be asked for as one. What it
// finds is a lower bound of the worst case, however close to the algorithm's own upper bound; it proves nothing.
package worst

import (
	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// Problem is what to search. Instance must promise something: its MostAdmitted is not nil. It has no Gateways: between
// those a rejected request takes a turn, and the search forgets what was rejected. Policy is what it is measured by; an
// instance with a limit of its own is attacked by that one's window.
type Problem struct {
	Instance    algorithms.Instance
	Policy      limit.Policy
	WithinUS    int64  // the interval's length, from 1 µs
	LargestCost int64  // no request costs more; at least 1
	Budget      int64  // decisions of the model that the search and the simplification may take together; at least 1
	Seed        uint64 // of what is tried at random

	Stop     <-chan struct{}       // closed: end with what was found so far
	Progress func(decisions int64) // nil: nobody watches
}

// Found is the worst traffic that a search found.
type Found struct {
	Attack    Attack
	Most      int64 // admitted in an interval of the length, for one key
	Bound     int64 // what the algorithm promises not to exceed
	Decisions int64 // of the model, that the search took
	Complete  bool  // everything was tried that the search knows to try; otherwise the budget ran out
	Smallest  bool  // no simplification of the attack is left that the search knows to try
	Stopped   bool
}

// Broken reports whether the algorithm's promise does not hold.
func (f *Found) Broken() bool { return f.Most > f.Bound }

// keyName is the only client's key, as traffic names it.
const keyName = "k0"

// epochUS is when virtual time begins without a shift of phase.
var epochUS = scenario.DefaultStart.UnixMicro()

// mostPhases is how many phases a scenario's file may have.
const mostPhases = 1000

// Search looks for the worst traffic, and makes it small. The same problem has the same answer, unless it is stopped.
//
// It asks for the requests of one instant in blocks. Where the answer, asked for one by one, does not admit as much, a
// block is no sum of requests, and everything is searched again without.
func (p Problem) Search() Found {
	found := p.search(false)
	if p.oneByOne(found.Attack) < found.Most {
		return p.search(true)
	}
	return found
}

// search is Search with blocks, or by units.
func (p Problem) search(units bool) Found {
	s := newSearch(p)
	s.units = units
	s.budget = p.Budget - p.Budget/4 // a quarter is left for making the answer small
	s.survey()
	s.climb()
	complete := !s.over() && (!s.cut || s.best.peak >= s.bound)
	s.budget = p.Budget
	found := Found{Bound: s.bound, Complete: complete}
	found.Attack, found.Most = s.simplify(s.best)
	found.Smallest = !s.over()
	if a, most := s.evened(found.Attack); most >= found.Most && a.simplerThan(&found.Attack) {
		found.Attack, found.Most = a, most
	}
	found.Decisions, found.Stopped = s.spent, s.stopped
	s.report()
	if found.Attack.Phases() > mostPhases {
		found.Attack, found.Most = p.shortened(found.Attack)
	}
	return found
}

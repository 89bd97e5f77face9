package benchresult

import "ratelab/internal/result"

// Of is how the scenario was played under that limit and seed, or nil. A document that is nil has none.
func (r *Document) Of(scenario string, limit result.Limit, seed uint64) *Play {
	if r == nil {
		return nil
	}
	for i := range r.Runs {
		if p := &r.Runs[i]; p.Scenario == scenario && p.Limit == limit && p.Seed == seed {
			return p
		}
	}
	return nil
}

// Differing is how many of all rounds' decisions are not those of virtual time, and how many decisions there were.
func (r *Limiter) Differing() (differing, decisions int64) {
	for _, round := range r.Rounds {
		differing += round.DiffersFromVirtual
		decisions += round.Accepted + round.Rejected
	}
	return differing, decisions
}

// Trust says in a sentence how far the times can be relied on.
func (r *Document) Trust() string {
	if fault := r.Fault(); fault != "" {
		return fault + "; " + r.NoiseFloor.String()
	}
	return r.NoiseFloor.String()
}

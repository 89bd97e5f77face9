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

// Differences compare the decisions of all rounds with those of virtual time.
type Differences struct {
	Differing  int64 // are not those of virtual time
	OutsideLag int64 // of these, such as lag does not explain
	Decisions  int64
}

// Differences are a row's; nil where its clients react, and so ask for other things than in virtual time.
func (r *Limiter) Differences() *Differences {
	d := &Differences{}
	for _, round := range r.Rounds {
		if round.DiffersFromVirtual == nil || round.OutsideLag == nil {
			return nil
		}
		d.Differing += *round.DiffersFromVirtual
		d.OutsideLag += *round.OutsideLag
		d.Decisions += round.Accepted + round.Rejected
	}
	return d
}

// Trust says in a sentence how far the times can be relied on.
func (r *Document) Trust() string {
	if fault := r.Fault(); fault != "" {
		return fault + "; " + r.NoiseFloor.String()
	}
	return r.NoiseFloor.String()
}

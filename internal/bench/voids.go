package bench

import "ratelab/internal/benchresult"

// voids are the pairs of a comparison that were not to be trusted, and were measured again.
type voids struct {
	planned int // how many pairs there may be that count
	pairs   int
	reasons []benchresult.Reason
}

// add takes a pair, and why it is void.
func (v *voids) add(where string, reasons []benchresult.Reason) {
	v.pairs++
	for _, r := range reasons {
		r.Where = where + " " + r.Where
		v.reasons = append(v.reasons, r)
	}
}

// invalid are the reasons of all of them, where they are more than a quarter of all pairs, with so many good ones. As
// long as they are fewer, each stall has spoilt a pair of its own, and nothing else.
func (v *voids) invalid(good int) []benchresult.Reason {
	if 4*v.pairs <= v.pairs+good {
		return nil
	}
	return v.reasons
}

// hopeless reports whether there will be too many, however good the rest is. Of very few pairs some may be.
func (v *voids) hopeless() bool {
	const some = 3
	return v.pairs > some && v.invalid(v.planned) != nil
}

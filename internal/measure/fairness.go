package measure

// Fairness is how evenly an algorithm serves the keys of a run, against the exact reference: for each key, served is
// its admitted cost divided by what the reference admits it. Keys that the reference admits nothing are left out.
type Fairness struct {
	Keys int64 `json:"keys"` // that were compared
	// JainIndex is (Σx)² / (n·Σx²) over served: 1 where all keys are served alike, 1/n where one gets everything.
	// Source: R. Jain, D. Chiu and W. Hawe, DEC-TR-301, 1984.
	JainIndex float64 `json:"jain_index"`
	// WorstKey is the key with the lowest served, the first in order of names among equals.
	WorstKey    string  `json:"worst_key"`
	WorstServed float64 `json:"worst_served"`
	BestServed  float64 `json:"best_served"`
	// KeysFalselyAdmitted and KeysFalselyRejected count the keys with at least one such decision; WorstKeyWrong is the
	// largest share of one key's requests that were decided falsely either way.
	KeysFalselyAdmitted int64   `json:"keys_falsely_admitted"`
	KeysFalselyRejected int64   `json:"keys_falsely_rejected"`
	WorstKeyWrong       float64 `json:"worst_key_wrong"`
}

// MaxFairKeys is how many keys fairness is measured for: it keeps sums, and a name, for every key of a run, and not
// only for those that live.
const MaxFairKeys = 200_000

// KeySums are one limiter's sums for each key, by the number that a KeySet gave it.
type KeySums struct{ sums []keySum }

type keySum struct {
	requests, admits, rejects int64 // admits and rejects are the false ones
	admitted, exact           int64 // cost
}

// Observe counts the decision on a request of key number, and what the exact Reference said to it. Numbers from
// MaxFairKeys on are passed over.
func (s *KeySums) Observe(number, cost int64, admitted, exact bool) {
	if number >= MaxFairKeys {
		return
	}
	for number >= int64(len(s.sums)) {
		s.sums = append(s.sums, keySum{})
	}
	k := &s.sums[number]
	k.requests++
	if admitted {
		k.admitted += cost
	}
	if exact {
		k.exact += cost
	}
	switch {
	case admitted && !exact:
		k.admits++
	case exact && !admitted:
		k.rejects++
	}
}

// Fairness is what the sums come to; names are the keys by number. It is nil unless several keys were seen, no more
// than MaxFairKeys, and the reference admits some of them something.
func (s *KeySums) Fairness(names []string) *Fairness {
	if len(s.sums) < 2 || len(names) < len(s.sums) {
		return nil
	}
	var f Fairness
	var sum, squares float64
	for i, k := range s.sums {
		f.wronged(k)
		if k.exact == 0 {
			continue
		}
		served := float64(k.admitted) / float64(k.exact)
		sum, squares = sum+served, squares+served*served
		f.serve(names[i], served)
	}
	switch {
	case f.Keys == 0:
		return nil
	case squares == 0:
		f.JainIndex = 1 // nobody gets anything, all alike
	default:
		f.JainIndex = sum * sum / (float64(f.Keys) * squares)
	}
	return &f
}

// wronged counts a key's false decisions.
func (f *Fairness) wronged(k keySum) {
	if k.admits > 0 {
		f.KeysFalselyAdmitted++
	}
	if k.rejects > 0 {
		f.KeysFalselyRejected++
	}
	if k.requests > 0 {
		f.WorstKeyWrong = max(f.WorstKeyWrong, float64(k.admits+k.rejects)/float64(k.requests))
	}
}

// serve compares one key with the worst and the best so far.
func (f *Fairness) serve(name string, served float64) {
	f.Keys++
	if f.Keys == 1 || served < f.WorstServed || served == f.WorstServed && name < f.WorstKey {
		f.WorstKey, f.WorstServed = name, served
	}
	f.BestServed = max(f.BestServed, served)
}

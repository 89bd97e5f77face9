package measure

import "cmp"

// Fairness compares a row with an exact limiter in its place, key by key: served is a key's admitted cost divided by
// what the exact limiter admits of it. Keys of which that admits nothing are left out.
type Fairness struct {
	Keys int64 `json:"keys"` // that were compared
	// WorstKey is the key with the lowest served, the first in order of names among equals.
	WorstKey    string  `json:"worst_key"`
	WorstServed float64 `json:"worst_served"`
	BestServed  float64 `json:"best_served"`
}

// MaxFairKeys is the most keys of which fairness is measured: it keeps the name of every key of a run, and not only of
// those that live.
const MaxFairKeys = 200_000

// Served is what Fairness is computed from, for some of a run's keys. Those of disjoint keys add up.
type Served struct {
	Keys  int64      `json:"keys"`
	Least *ServedKey `json:"least,omitempty"`
	Most  *ServedKey `json:"most,omitempty"`
}

// ServedKey is a key with the cost that a row and the exact limiter admitted.
type ServedKey struct {
	Key      string `json:"key"`
	Admitted int64  `json:"admitted"`
	Exact    int64  `json:"exact"`
}

func (k ServedKey) share() float64 { return float64(k.Admitted) / float64(k.Exact) }

// NewServed compares two ledgers; names are the keys by number.
func NewServed(exact, admitted *Ledger, names []string) *Served {
	s := &Served{}
	for i, name := range names {
		if exact.Cost(i) == 0 {
			continue
		}
		k := &ServedKey{name, admitted.Cost(i), exact.Cost(i)}
		s.Keys++
		s.Least, s.Most = s.Least.worse(k, lowest), s.Most.worse(k, highest)
	}
	return s
}

// Which share is the worst one.
const (
	highest = 1
	lowest  = -1
)

// worse is the worse of two keys, of equals the first in order of names; nil is none.
func (k *ServedKey) worse(o *ServedKey, worst int) *ServedKey {
	if k == nil || o != nil && cmp.Or(worst*cmp.Compare(o.share(), k.share()), cmp.Compare(k.Key, o.Key)) > 0 {
		return o
	}
	return k
}

// plus adds other keys; nil where one of the two is unknown.
func (s *Served) plus(o *Served) *Served {
	if s == nil || o == nil {
		return nil
	}
	return &Served{Keys: s.Keys + o.Keys, Least: s.Least.worse(o.Least, lowest), Most: s.Most.worse(o.Most, highest)}
}

// Fairness is nil unless the run has several keys, not too many, and the exact limiter admits something.
func (s *Served) Fairness(keys int64) *Fairness {
	if s == nil || keys < 2 || keys > MaxFairKeys || s.Least == nil {
		return nil
	}
	return &Fairness{s.Keys, s.Least.Key, s.Least.share(), s.Most.share()}
}

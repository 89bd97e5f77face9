package measure

import "cmp"

// Fairness compares a row with an exact limiter, key by key. A key's served share is the cost that the row admits for
// the key, divided by the cost that the exact limiter admits for it. Keys for which the exact limiter admits nothing
// are left out.
type Fairness struct {
	Keys int64 `json:"keys"` // the number of keys compared
	// WorstKey is the key with the lowest served share. Among equals it is the first by name.
	WorstKey    string  `json:"worst_key"`
	WorstServed float64 `json:"worst_served"`
	BestServed  float64 `json:"best_served"`
}

// MaxFairKeys is the most keys for which fairness is measured. Fairness keeps the names of all keys of a run, also
// those of keys that have expired.
const MaxFairKeys = 200_000

// Served has the data of Fairness for a part of a run's keys. Those of disjoint keys can be added.
type Served struct {
	Keys  int64      `json:"keys"`
	Least *ServedKey `json:"least,omitempty"`
	Most  *ServedKey `json:"most,omitempty"`
}

// ServedKey is a key with the costs that a row and the exact limiter admitted for it.
type ServedKey struct {
	Key      string `json:"key"`
	Admitted int64  `json:"admitted"`
	Exact    int64  `json:"exact"`
}

func (k ServedKey) share() float64 { return float64(k.Admitted) / float64(k.Exact) }

// NewServed compares two ledgers. names are the names of the keys by number.
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

// The kinds of worst share.
const (
	highest = 1
	lowest  = -1
)

// worse returns the worse of two keys. Among equals it is the first by name. nil means no key.
func (k *ServedKey) worse(o *ServedKey, worst int) *ServedKey {
	if k == nil || o != nil && cmp.Or(worst*cmp.Compare(o.share(), k.share()), cmp.Compare(k.Key, o.Key)) > 0 {
		return o
	}
	return k
}

// plus adds the keys of o. It returns nil if s or o is nil, that is, unknown.
func (s *Served) plus(o *Served) *Served {
	if s == nil || o == nil {
		return nil
	}
	return &Served{Keys: s.Keys + o.Keys, Least: s.Least.worse(o.Least, lowest), Most: s.Most.worse(o.Most, highest)}
}

// Fairness returns nil if the run has one key or more than MaxFairKeys, or if the exact limiter admits nothing.
func (s *Served) Fairness(keys int64) *Fairness {
	if s == nil || keys < 2 || keys > MaxFairKeys || s.Least == nil {
		return nil
	}
	return &Fairness{s.Keys, s.Least.Key, s.Least.share(), s.Most.share()}
}

package measure

import (
	"cmp"
	"slices"

	"ratelab/internal/limit"
)

// Fairness is how evenly an algorithm serves the keys of a run. Against an exact limiter in its place: for each key,
// served is its admitted cost divided by what the exact limiter lets through; keys of which that lets nothing through
// are left out.
type Fairness struct {
	Keys int64 `json:"keys"` // that were compared
	// JainIndex is (Σx)² / (n·Σx²) over served: 1 where all keys are served alike, 1/n where one gets everything.
	// Source: R. Jain, D. Chiu and W. Hawe, DEC-TR-301, 1984.
	JainIndex float64 `json:"jain_index"`
	// WorstKey is the key with the lowest served, the first in order of names among equals.
	WorstKey    string  `json:"worst_key"`
	WorstServed float64 `json:"worst_served"`
	BestServed  float64 `json:"best_served"`

	// KeysOver counts the keys with an excess, KeysShort those that are admitted less than by an exact limiter.
	KeysOver  int64 `json:"keys_over"`
	KeysShort int64 `json:"keys_short"`

	// Over and Short are the worst keys among those that offered at least L: of whose admitted cost the largest share
	// is excess, and who lacks the largest share of what an exact limiter lets through. Absent where there is none.
	Over  *KeyShare `json:"over,omitempty"`
	Short *KeyShare `json:"short,omitempty"`
}

// KeyShare is a key and its share.
type KeyShare struct {
	Key   string  `json:"key"`
	Share float64 `json:"share"`
}

// MaxFairKeys is how many keys fairness is measured for: it keeps a name for every key of a run, and not only for those
// that live.
const MaxFairKeys = 200_000

// Account is one row's ledgers beside those that all rows share.
type Account struct {
	Offered, Exact   *Ledger // of all rows: what was offered, and what the Reference in their place let through
	Admitted, Excess *Ledger // of this one
}

// Served is what Fairness is made of, for some of a run's keys, in whole numbers that add up and the worst of all.
type Served struct {
	KeysOver  int64       `json:"keys_over"`
	KeysShort int64       `json:"keys_short"`
	Over      *WorstKey   `json:"over,omitempty"`
	Short     *WorstKey   `json:"short,omitempty"`
	Least     *WorstKey   `json:"least,omitempty"` // the key with the lowest served
	Alike     []AlikeKeys `json:"alike"`           // ascending by Exact, then Admitted, each fraction once
}

// AlikeKeys are so many keys of which each was admitted one share of what the exact limiter lets through: a fraction in
// its lowest terms.
type AlikeKeys struct {
	Admitted int64 `json:"admitted"`
	Exact    int64 `json:"exact"`
	Keys     int64 `json:"keys"`
}

// WorstKey is the worst of some keys: Part of Whole is what is wrong with it.
type WorstKey struct {
	Key   string `json:"key"`
	Part  int64  `json:"part"`
	Whole int64  `json:"whole"`
}

func (k WorstKey) share() float64 { return float64(k.Part) / float64(k.Whole) }

// shown is the key and its share, for a document.
func (k *WorstKey) shown() *KeyShare {
	if k == nil {
		return nil
	}
	return &KeyShare{k.Key, k.share()}
}

// Served is the account key by key; names are the keys by number. It is nil where not all of them have names.
func (a *Account) Served(names []string, most int64) *Served {
	if len(names) < len(a.Offered.cost) {
		return nil
	}
	s := &Served{}
	alike := map[AlikeKeys]int64{}
	for i, name := range names {
		exact, admitted, excess := a.Exact.Cost(i), a.Admitted.Cost(i), a.Excess.Cost(i)
		busy := a.Offered.Cost(i) >= most
		if excess > 0 {
			s.KeysOver++
			if busy {
				s.Over = s.Over.worse(&WorstKey{name, excess, admitted}, highest)
			}
		}
		if short := exact - admitted; short > 0 {
			s.KeysShort++
			if busy {
				s.Short = s.Short.worse(&WorstKey{name, short, exact}, highest)
			}
		}
		if exact == 0 {
			continue
		}
		s.Least = s.Least.worse(&WorstKey{name, admitted, exact}, lowest)
		by := limit.Divisor(admitted, exact)
		alike[AlikeKeys{Admitted: admitted / by, Exact: exact / by}]++
	}
	s.Alike = sorted(alike)
	return s
}

// sorted are the keys by share, which is known but for their number.
func sorted(alike map[AlikeKeys]int64) []AlikeKeys {
	all := make([]AlikeKeys, 0, len(alike))
	for share, keys := range alike {
		share.Keys = keys
		all = append(all, share)
	}
	slices.SortFunc(all, func(a, b AlikeKeys) int {
		return cmp.Or(cmp.Compare(a.Exact, b.Exact), cmp.Compare(a.Admitted, b.Admitted))
	})
	return all
}

// Which share is the worst one.
const (
	highest = 1
	lowest  = -1
)

// worse is the worse of two keys, of equals the first in order of names; nil is none.
func (k *WorstKey) worse(o *WorstKey, worst int) *WorstKey {
	if k == nil || o != nil && cmp.Or(worst*cmp.Compare(o.share(), k.share()), cmp.Compare(k.Key, o.Key)) > 0 {
		return o
	}
	return k
}

// plus is what both come to; nil where one of them is not known.
func (s *Served) plus(o *Served) *Served {
	if s == nil || o == nil {
		return nil
	}
	sum := &Served{KeysOver: s.KeysOver + o.KeysOver, KeysShort: s.KeysShort + o.KeysShort,
		Over:  s.Over.worse(o.Over, highest),
		Short: s.Short.worse(o.Short, highest),
		Least: s.Least.worse(o.Least, lowest)}
	alike := map[AlikeKeys]int64{}
	for _, a := range slices.Concat(s.Alike, o.Alike) {
		alike[AlikeKeys{Admitted: a.Admitted, Exact: a.Exact}] += a.Keys
	}
	sum.Alike = sorted(alike)
	return sum
}

// Fairness is what the run's keys, so many, come to. It is nil unless there are several, not too many, and the exact
// limiter lets something of some through.
func (s *Served) Fairness(keys int64) *Fairness {
	if s == nil || keys < 2 || keys > MaxFairKeys || s.Least == nil {
		return nil
	}
	f := &Fairness{WorstKey: s.Least.Key, WorstServed: s.Least.share(), KeysOver: s.KeysOver,
		KeysShort: s.KeysShort, Over: s.Over.shown(), Short: s.Short.shown()}
	var sum, squares float64
	for _, a := range s.Alike { // in one order, so that the sums are always rounded alike
		served := float64(a.Admitted) / float64(a.Exact)
		f.Keys += a.Keys
		sum, squares = sum+float64(a.Keys)*served, squares+float64(a.Keys)*(served*served)
		f.BestServed = max(f.BestServed, served)
	}
	if f.JainIndex = 1; squares > 0 { // where nobody gets anything, all are served alike
		f.JainIndex = sum * sum / (float64(f.Keys) * squares)
	}
	return f
}

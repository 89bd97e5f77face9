package measure

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

	// KeysOver and KeysShort count the keys that have an excess, and those that have a shortfall.
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
	Offered, Exact *Ledger // of all rows: what was offered, and what the Reference in their place let through
	Within, Excess *Ledger // of this one
}

// Fairness is what the account comes to under a limit of so many requests; names are the keys by number. It is nil
// unless several keys were seen, all of them have names, and the exact limiter lets something of some through.
func (a *Account) Fairness(names []string, limit int64) *Fairness {
	if len(names) < 2 || len(names) < len(a.Offered.cost) {
		return nil
	}
	var f Fairness
	var sum, squares float64
	for i, name := range names {
		exact, within, excess := a.Exact.Cost(i), a.Within.Cost(i), a.Excess.Cost(i)
		busy := a.Offered.Cost(i) >= limit
		if excess > 0 {
			f.KeysOver++
			f.Over = f.Over.worse(busy, name, float64(excess)/float64(within+excess))
		}
		if short := exact - within; short > 0 {
			f.KeysShort++
			f.Short = f.Short.worse(busy, name, float64(short)/float64(exact))
		}
		if exact == 0 {
			continue
		}
		served := float64(within+excess) / float64(exact)
		sum, squares = sum+served, squares+served*served
		f.serve(name, served)
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

// worse is the worse of k and a key that counts if it is busy.
func (k *KeyShare) worse(busy bool, key string, share float64) *KeyShare {
	if !busy || k != nil && (share < k.Share || share == k.Share && key > k.Key) {
		return k
	}
	return &KeyShare{key, share}
}

// serve compares one key with the worst and the best so far.
func (f *Fairness) serve(name string, served float64) {
	f.Keys++
	if f.Keys == 1 || served < f.WorstServed || served == f.WorstServed && name < f.WorstKey {
		f.WorstKey, f.WorstServed = name, served
	}
	f.BestServed = max(f.BestServed, served)
}

package measure

import (
	"hash/maphash"
	"math/bits"
)

// KeySet counts and numbers distinct keys without keeping them. For each key it stores a 128-bit hash and the number,
// whatever the key's length. Two keys with the same hash would count as one. Among a thousand million keys, the
// probability of one such pair is 10^18/2^129, about one in 10^21. So the count is exact, and the same in every run,
// although the seeds differ. The seeds are random so that keys that collide cannot be constructed.
type KeySet struct {
	seeds [2]maphash.Seed
	seen  map[[2]uint64]uint32
	last  string
	at    int64 // the number of last
}

// NewKeySet returns an empty set.
func NewKeySet() *KeySet {
	return &KeySet{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, seen: make(map[[2]uint64]uint32)}
}

// Add counts key if it is new. It returns the key's number: how many other keys came before it.
func (s *KeySet) Add(key string) int64 {
	if key == s.last && len(s.seen) > 0 {
		return s.at // the common case: only one key, or the same key again
	}
	hash := [2]uint64{maphash.String(s.seeds[0], key), maphash.String(s.seeds[1], key)}
	number, known := s.seen[hash]
	if !known {
		number = uint32(len(s.seen))
		s.seen[hash] = number
	}
	s.last, s.at = key, int64(number)
	return s.at
}

// Count returns the number of distinct keys added.
func (s *KeySet) Count() int64 { return int64(len(s.seen)) }

// Ledger adds up the cost of each key of a run, by the key's number in a KeySet.
type Ledger struct{ cost []int64 }

// Add adds cost to the sum of a key.
func (l *Ledger) Add(number, cost int64) {
	for number >= int64(len(l.cost)) {
		l.cost = append(l.cost, 0)
	}
	l.cost[number] += cost
}

// Cost returns the sum of a key, 0 if nothing was added for it.
func (l *Ledger) Cost(number int) int64 {
	if number >= len(l.cost) {
		return 0
	}
	return l.cost[number]
}

// Less returns l minus other, key by key.
func (l *Ledger) Less(other *Ledger) *Ledger {
	left := &Ledger{cost: make([]int64, len(l.cost))}
	for i := range l.cost {
		left.cost[i] = l.Cost(i) - other.Cost(i)
	}
	return left
}

// total returns the sum of all keys.
func (l *Ledger) total() (cost int64) {
	for _, c := range l.cost {
		cost += c
	}
	return cost
}

// lost returns the cost that an exact limiter admitted and a row did not, key by key. Excess cost of one key does not
// offset missing cost of another.
func lost(exact, admitted *Ledger) (cost int64) {
	for i := range exact.cost {
		cost += max(0, exact.Cost(i)-admitted.Cost(i))
	}
	return cost
}

// Marks is a set of keys of a run, one bit for each number in a KeySet.
type Marks []uint64

func (m *Marks) add(number int64) {
	for number/64 >= int64(len(*m)) {
		*m = append(*m, 0)
	}
	(*m)[number/64] |= 1 << (number % 64)
}

// without returns how many keys of m are not in o.
func (m Marks) without(o Marks) (n int64) {
	for i, word := range m {
		if i < len(o) {
			word &^= o[i]
		}
		n += int64(bits.OnesCount64(word))
	}
	return n
}

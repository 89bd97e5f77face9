package measure

import (
	"hash/maphash"
	"math/bits"
)

// KeySet counts and numbers distinct keys without keeping them: a 128-bit hash of each, 16 bytes, and the number,
// however long the key. Two keys with one hash would be counted as one; among a thousand million keys the odds of a
// single such pair are 10^18/2^129, about one in 10^21. So the count is exact and the same on every run, although the
// seeds differ. They are random so that nobody can prepare keys that collide.
type KeySet struct {
	seeds [2]maphash.Seed
	seen  map[[2]uint64]uint32
	last  string
	at    int64 // the number of last
}

// NewKeySet is empty.
func NewKeySet() *KeySet {
	return &KeySet{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, seen: make(map[[2]uint64]uint32)}
}

// Add counts key if it is new, and gives its number: how many others came before it.
func (s *KeySet) Add(key string) int64 {
	if key == s.last && len(s.seen) > 0 {
		return s.at // one key alone, or a run of it, is the common case
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

// Count is the number of distinct keys added.
func (s *KeySet) Count() int64 { return int64(len(s.seen)) }

// Ledger adds up cost for each key of a run, by the number that a KeySet gave it.
type Ledger struct{ cost []int64 }

// Add adds to a key's cost.
func (l *Ledger) Add(number, cost int64) {
	for number >= int64(len(l.cost)) {
		l.cost = append(l.cost, 0)
	}
	l.cost[number] += cost
}

// Cost is the sum of a key; 0 of a key that was never added.
func (l *Ledger) Cost(number int) int64 {
	if number >= len(l.cost) {
		return 0
	}
	return l.cost[number]
}

// Less is l minus other, key by key.
func (l *Ledger) Less(other *Ledger) *Ledger {
	left := &Ledger{cost: make([]int64, len(l.cost))}
	for i := range l.cost {
		left.cost[i] = l.Cost(i) - other.Cost(i)
	}
	return left
}

// total is the cost of all keys.
func (l *Ledger) total() (cost int64) {
	for _, c := range l.cost {
		cost += c
	}
	return cost
}

// lost is the cost that an exact limiter admitted and a row did not, key by key: what one key got beyond its due does
// not make up for what another lacks.
func lost(exact, admitted *Ledger) (cost int64) {
	for i := range exact.cost {
		cost += max(0, exact.Cost(i)-admitted.Cost(i))
	}
	return cost
}

// Marks are keys of a run by the number that a KeySet gave them, one bit each.
type Marks []uint64

func (m *Marks) add(number int64) {
	for number/64 >= int64(len(*m)) {
		*m = append(*m, 0)
	}
	(*m)[number/64] |= 1 << (number % 64)
}

// without counts the keys of m that are not in o.
func (m Marks) without(o Marks) (n int64) {
	for i, word := range m {
		if i < len(o) {
			word &^= o[i]
		}
		n += int64(bits.OnesCount64(word))
	}
	return n
}

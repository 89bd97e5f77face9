package measure

import "hash/maphash"

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

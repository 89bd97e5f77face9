package algorithms

import "hash/maphash"

// table finds the state of a key: a hash table with linear probing, whose slots lie apart from the entries and have
// some bits of each key's hash. So a look-up among a million keys waits for memory twice, for its slot and for its
// entry. A map of pointers waits for its control bytes, its slot and the state.
type table[S any] struct {
	slots   []slot // a power of two, at most half of them taken
	entries []entry[S]
}

// slot is empty where number is 0; else its entry is the one before that number.
type slot struct{ hash, number uint32 }

type entry[S any] struct {
	key   string
	state S
}

var seed = maphash.MakeSeed()

func hashOf(key string) uint32 { return uint32(maphash.String(seed, key)) }

// find gives the state of key, until the next call of add or drop; nil where it has none.
func (t *table[S]) find(key string) *S { return t.look(key, hashOf(key)) }

func (t *table[S]) look(key string, hash uint32) *S {
	last := uint32(len(t.slots) - 1)
	for i := hash; len(t.slots) > 0; i++ {
		s := t.slots[i&last]
		if s.number == 0 {
			break
		}
		if s.hash == hash {
			if e := &t.entries[s.number-1]; e.key == key {
				return &e.state
			}
		}
	}
	return nil
}

// add makes a state for key, which has none.
func (t *table[S]) add(key string) *S { return t.put(key, hashOf(key)) }

func (t *table[S]) put(key string, hash uint32) *S {
	t.entries = append(t.entries, entry[S]{key: key})
	if 2*len(t.entries) > len(t.slots) {
		old := t.slots
		t.slots = make([]slot, max(8, 2*len(old)))
		for _, s := range old {
			if s.number > 0 {
				t.take(s)
			}
		}
	}
	t.take(slot{hash, uint32(len(t.entries))})
	return &t.entries[len(t.entries)-1].state
}

// take puts s into the first free slot from its own on.
func (t *table[S]) take(s slot) {
	last := uint32(len(t.slots) - 1)
	i := s.hash & last
	for t.slots[i].number > 0 {
		i = (i + 1) & last
	}
	t.slots[i] = s
}

// drop forgets the keys whose state is gone, and asks of each once. What is left has room for as many keys again.
func (t *table[S]) drop(gone func(*S) bool) {
	all, left := t.entries, t.entries[:0]
	for i := range all {
		if !gone(&all[i].state) {
			left = append(left, all[i])
		}
	}
	if len(left) == len(all) {
		return
	}
	clear(all[len(left):])
	t.entries = left
	for len(t.slots) > 8 && len(t.slots) >= 8*len(left) {
		t.slots = t.slots[:len(t.slots)/2]
	}
	clear(t.slots)
	for i := range left {
		t.take(slot{hashOf(left[i].key), uint32(i + 1)})
	}
}

package algorithms

import (
	"hash/maphash"
	"math/bits"
)

// store keeps one state of type S for each living key. The zero S is the state of a key that nobody has used.
//
// It is a hash table with linear probing, in which a key's state lies beside its hash: with a million keys in random
// order a decision waits for two or three cache lines. It forgets what is spent whenever it is full, so that memory
// grows with the living keys.
//
// Note: a map[string]*S, the plainer store, took a fifth longer with a million keys.
type store[S any] struct {
	slots []slot[S]
	shift int // a hash's upper bits, moved by so much, are an index of slots
	used  int
	seed  maphash.Seed
	spent func(s *S, nowUS int64) bool // whether losing s changes no decision from nowUS on
	last  *slot[S]                     // where the last key was; most requests of a hot key hit it
}

type slot[S any] struct {
	hash  uint64 // odd; 0: nobody's
	key   string
	state S
}

// smallest is the number of slots of a new store, a power of two.
const smallest = 16

func newStore[S any](spent func(s *S, nowUS int64) bool) store[S] {
	t := store[S]{seed: maphash.MakeSeed(), spent: spent}
	t.resize(smallest)
	return t
}

// of gives the state of key, which the caller may change until the next call.
func (t *store[S]) of(key string, nowUS int64) *S {
	if t.last != nil && key == t.last.key {
		return &t.last.state
	}
	hash := maphash.String(t.seed, key) | 1
	s := t.find(key, hash)
	if s.hash == 0 {
		if 4*t.used >= 3*len(t.slots) {
			t.sweep(nowUS)
			s = t.find(key, hash)
		}
		s.hash, s.key = hash, key
		t.used++
	}
	t.last = s
	return &s.state
}

// find gives the slot of key, or the free one in which it belongs.
func (t *store[S]) find(key string, hash uint64) *slot[S] {
	for i := int(hash >> t.shift); ; i = (i + 1) & (len(t.slots) - 1) {
		if s := &t.slots[i]; s.hash == 0 || s.hash == hash && s.key == key {
			return s
		}
	}
}

// sweep drops what is spent, and makes room for as many keys again as are left: its cost for each new key is
// constant.
func (t *store[S]) sweep(nowUS int64) {
	var living []slot[S]
	for i := range t.slots {
		if s := &t.slots[i]; s.hash != 0 && !t.spent(&s.state, nowUS) {
			living = append(living, *s)
		}
	}
	size := smallest
	for 3*size < 8*len(living) {
		size *= 2
	}
	t.resize(size)
	for _, s := range living {
		*t.find(s.key, s.hash) = s
	}
	t.used = len(living)
}

func (t *store[S]) resize(size int) {
	t.slots, t.shift, t.last = make([]slot[S], size), bits.LeadingZeros64(uint64(size))+1, nil
}

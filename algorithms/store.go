package algorithms

import (
	"hash/maphash"
	"math/bits"
)

// perishable is the state of one key, or of a few that share its name, as Redis keeps it. The zero value is that of a
// key that nobody has used.
type perishable[S any] interface {
	*S
	expire(nowMS int64) (gone bool) // drops what Redis keeps until a ms before nowMS; gone: nothing is left
	clone() S                       // shares nothing that decisions change
}

// store keeps one state of type S for each living key, and drops it when Redis would, by the server's clock in ms: a
// key whose time is over is gone when it is looked at, and before the clock steps back. For Redis deletes such keys in
// the background, within a fraction of a second, and a clock that shows an earlier time brings none back.
//
// It is a hash table with linear probing, in which a key's state lies beside its hash: with a million keys in random
// order a decision waits for two or three cache lines. It forgets what has expired whenever it is full, so that memory
// grows with the living keys.
//
// Note: a map[string]*S, the plainer store, took a fifth longer with a million keys.
type store[S any, P perishable[S]] struct {
	slots []slot[S]
	shift int // a hash's upper bits, moved by so much, are an index of slots
	used  int
	seed  maphash.Seed
	last  *slot[S] // where the last key was; most requests of a hot key hit it

	clock   clock // what the rule goes by
	aheadUS int64 // how far the server's clock is ahead of that one
	nowMS   int64 // the server's clock at the last look
}

type slot[S any] struct {
	hash  uint64 // odd; 0: nobody's
	key   string
	state S
}

// smallest is the number of slots of a new store, a power of two.
const smallest = 16

func newStore[S any, P perishable[S]](c clock) store[S, P] {
	t := store[S, P]{seed: maphash.MakeSeed(), clock: c}
	t.resize(smallest)
	return t
}

// of gives the state of key at nowUS of the clock that the rule goes by. The caller may change it until the next call.
func (t *store[S, P]) of(key string, nowUS int64) *S {
	nowMS := floorDiv(nowUS+t.aheadUS, 1000)
	if nowMS < t.nowMS {
		t.bury()
	}
	t.nowMS = nowMS
	s := t.slot(key)
	P(&s.state).expire(nowMS)
	return &s.state
}

// bury drops what has expired by the last look, before the clock shows an earlier time.
func (t *store[S, P]) bury() {
	for i := range t.slots {
		P(&t.slots[i].state).expire(t.nowMS)
	}
}

// fork is a store with a copy of key's state, under the same clock.
func (t *store[S, P]) fork(key string) store[S, P] {
	f := newStore[S, P](t.clock)
	f.nowMS = t.nowMS
	if s := t.find(key, t.hash(key)); s.hash != 0 {
		f.slot(key).state = P(&s.state).clone()
	}
	return f
}

func (t *store[S, P]) hash(key string) uint64 { return maphash.String(t.seed, key) | 1 }

// slot gives the one of key, which may be new.
func (t *store[S, P]) slot(key string) *slot[S] {
	if t.last != nil && key == t.last.key {
		return t.last
	}
	hash := t.hash(key)
	s := t.find(key, hash)
	if s.hash == 0 {
		if 4*t.used >= 3*len(t.slots) {
			t.sweep()
			s = t.find(key, hash)
		}
		s.hash, s.key = hash, key
		t.used++
	}
	t.last = s
	return s
}

// find gives the slot of key, or the free one in which it belongs.
func (t *store[S, P]) find(key string, hash uint64) *slot[S] {
	for i := int(hash >> t.shift); ; i = (i + 1) & (len(t.slots) - 1) {
		if s := &t.slots[i]; s.hash == 0 || s.hash == hash && s.key == key {
			return s
		}
	}
}

// sweep drops what has expired, and makes room for as many keys again as are left: its cost for each new key is
// constant.
func (t *store[S, P]) sweep() {
	var living []slot[S]
	for i := range t.slots {
		if s := &t.slots[i]; s.hash != 0 && !P(&s.state).expire(t.nowMS) {
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

func (t *store[S, P]) resize(size int) {
	t.slots, t.shift, t.last = make([]slot[S], size), bits.LeadingZeros64(uint64(size))+1, nil
}

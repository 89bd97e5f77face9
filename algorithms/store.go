package algorithms

// store keeps one state of type S for each living key. The zero S is the state of a key that nobody has used.
type store[S any] struct {
	states  map[string]*S
	spent   func(s *S, nowUS int64) bool // whether losing s changes no decision from nowUS on
	sweepAt int                          // the number of keys at which to look for spent ones

	lastKey string
	last    *S
}

// firstSweep is the number of keys below which sweeping is not worth the while.
const firstSweep = 1024

func newStore[S any](spent func(s *S, nowUS int64) bool) store[S] {
	return store[S]{states: map[string]*S{}, spent: spent, sweepAt: firstSweep}
}

// of gives the state of key, which the caller may change, valid until the next call.
func (t *store[S]) of(key string, nowUS int64) *S {
	if t.last != nil && key == t.lastKey {
		return t.last
	}
	s := t.states[key]
	if s == nil {
		s = t.add(key, nowUS)
	}
	t.lastKey, t.last = key, s
	return s
}

func (t *store[S]) add(key string, nowUS int64) *S {
	if len(t.states) >= t.sweepAt {
		t.sweep(nowUS)
	}
	s := new(S)
	t.states[key] = s
	return s
}

// sweep drops what is spent. It runs when the living keys have doubled since the last time, so that its cost for
// each new key is constant, and memory grows with the living keys.
func (t *store[S]) sweep(nowUS int64) {
	for key, s := range t.states {
		if t.spent(s, nowUS) {
			delete(t.states, key)
		}
	}
	t.sweepAt = max(firstSweep, 2*len(t.states))
}

package algorithms

import "ratelab/internal/limit"

// rule decides one request by the state of its key, which it may change. A cost is at least 1.
type rule[S any] interface {
	decide(at *moment, s *S, cost int64) limit.Decision
}

// keyed is the model of a rule that has a state for each key.
type keyed[S any, P perishable[S]] struct {
	rule  rule[S]
	store store[S, P]
}

// newModel returns a function that makes models. Each model has its own keys.
func newModel[S any, P perishable[S]](c clock, r rule[S]) func() limit.Model {
	return func() limit.Model { return &keyed[S, P]{r, newStore[S, P](c)} }
}

// Decide decides by the rule's clock. Keys expire by the server's clock, which has no steps.
func (k *keyed[S, P]) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	nowUS := serverUS
	if k.store.at.clock.client {
		nowUS = k.store.at.clock.floor(clientUS)
	}
	s := k.store.of(key, nowUS, serverUS)
	return k.rule.decide(&k.store.at, s, cost)
}

// Fork returns a model that knows only key, with a copy of its state.
func (k *keyed[S, P]) Fork(key string) limit.Model {
	return &keyed[S, P]{k.rule, k.store.fork(key)}
}

// perishable is the state of one key as Redis keeps it. The zero value is the state of an unused key.
type perishable[S any] interface {
	*S
	over(nowMS int64) bool
}

// life is how long Redis keeps a state: while the server's clock, in whole ms, is at most lastMS.
type life struct{ lastMS int64 }

// over reports whether the key has expired before nowMS, or does not exist.
func (l *life) over(nowMS int64) bool { return l.lastMS < nowMS }

// moment is the time of a decision.
type moment struct {
	clock clock // the rule's clock
	nowUS int64 // by the rule's clock
	nowMS int64 // by the server's clock
}

// afterUS returns the last ms, by the server's clock, in which a key exists that is written now and matters for lifeUS.
func (m *moment) afterUS(lifeUS int64) int64 {
	return m.nowMS + ceilDiv(lifeUS, 1000) + m.clock.marginUS()/1000
}

// store keeps one state of type S for each living key. It drops a state when Redis would drop the key, by the server's
// clock in ms. An expired key is dropped when it is looked up, and before the clock steps back: Redis deletes such keys
// in the background within a fraction of a second, and an earlier clock does not restore them.
//
// It drops the expired states whenever it has twice as many keys as were left the last time. So the memory grows only
// with the living keys.
type store[S any, P perishable[S]] struct {
	states  map[string]*S
	sweepAt int

	lastKey string // the requests of a hot key often follow each other
	last    *S

	at moment // of the last lookup
}

// smallest is the number of keys below which a store drops no states.
const smallest = 16

func newStore[S any, P perishable[S]](c clock) store[S, P] {
	return store[S, P]{states: map[string]*S{}, sweepAt: smallest, at: moment{clock: c}}
}

// of returns the state of key at nowUS by the rule's clock. The caller may change it until the next call.
func (t *store[S, P]) of(key string, nowUS, serverUS int64) *S {
	nowMS := floorDiv(serverUS, 1000)
	if nowMS < t.at.nowMS || len(t.states) >= t.sweepAt && t.states[key] == nil {
		t.sweep()
	}
	t.at.nowUS, t.at.nowMS = nowUS, nowMS
	s := t.last
	if s == nil || key != t.lastKey {
		if s = t.states[key]; s == nil {
			s = new(S)
			t.states[key] = s
		}
		t.lastKey, t.last = key, s
	}
	if P(s).over(nowMS) {
		*s = *new(S)
	}
	return s
}

// sweep drops the states that had expired by the last lookup, and makes room for as many new keys as are left. So its
// cost per new key is constant.
func (t *store[S, P]) sweep() {
	for key, s := range t.states {
		if P(s).over(t.at.nowMS) {
			delete(t.states, key)
		}
	}
	t.sweepAt, t.last = max(smallest, 2*len(t.states)), nil
}

// fork returns a store with a copy of key's state, at the same time. A state with a list gets its own copy of the list.
func (t *store[S, P]) fork(key string) store[S, P] {
	f := newStore[S, P](t.at.clock)
	f.at = t.at
	if s := t.states[key]; s != nil {
		c := *s
		if list, ok := any(&c).(interface{ unshare() }); ok {
			list.unshare()
		}
		f.states[key] = &c
	}
	return f
}

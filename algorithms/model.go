package algorithms

import "ratelab/internal/limit"

// rule decides one request by the state of its key, which it may change. Costs are 1 at least.
type rule[S any] interface {
	decide(at *moment, s *S, cost int64) limit.Decision
}

// keyed is the model of a rule that has a state for each key.
type keyed[S any, P perishable[S]] struct {
	rule  rule[S]
	store store[S, P]
}

// newModel gives each model of a rule its own keys.
func newModel[S any, P perishable[S]](c clock, r rule[S]) func() limit.Model {
	return func() limit.Model { return &keyed[S, P]{r, newStore[S, P](c)} }
}

// Decide decides by the clock that the rule goes by; the key expires by the server's, in no larger steps.
func (k *keyed[S, P]) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	nowUS := serverUS
	if k.store.at.clock.client {
		nowUS = k.store.at.clock.floor(clientUS)
	}
	s := k.store.of(key, nowUS, serverUS)
	return k.rule.decide(&k.store.at, s, cost)
}

// Fork is a model that knows key alone, in a copy of its state.
func (k *keyed[S, P]) Fork(key string) limit.Model {
	return &keyed[S, P]{k.rule, k.store.fork(key)}
}

// perishable is the state of one key as Redis keeps it. The zero value is that of a key that nobody has used.
type perishable[S any] interface {
	*S
	over(nowMS int64) bool
}

// life is how long Redis keeps a state: while the server's clock, in whole ms, is at most lastMS.
type life struct{ lastMS int64 }

// over reports whether Redis kept the key until a ms before nowMS, or there is none.
func (l *life) over(nowMS int64) bool { return l.lastMS < nowMS }

// moment is when a request is decided.
type moment struct {
	clock clock // what the rule goes by
	nowUS int64 // by that clock
	nowMS int64 // by the server's clock
}

// afterUS is the last ms at which the server's clock still shows a key that is written now and matters for lifeUS.
func (m *moment) afterUS(lifeUS int64) int64 {
	return m.nowMS + ceilDiv(lifeUS, 1000) + m.clock.marginUS()/1000
}

// store keeps one state of type S for each living key, and drops it when Redis would, by the server's clock in ms: a
// key whose time is over is gone when it is looked at, and before the clock steps back. For Redis deletes such keys in
// the background, within a fraction of a second, and a clock that shows an earlier time brings none back.
//
// It forgets what has expired whenever it has twice as many keys as were left the last time, so that memory grows with
// the living keys.
type store[S any, P perishable[S]] struct {
	states  map[string]*S
	sweepAt int

	lastKey string // most requests of a hot key follow each other
	last    *S

	at moment // of the last look
}

// smallest is how many keys a store has before it forgets any.
const smallest = 16

func newStore[S any, P perishable[S]](c clock) store[S, P] {
	return store[S, P]{states: map[string]*S{}, sweepAt: smallest, at: moment{clock: c}}
}

// of gives the state of key at nowUS of the clock that the rule goes by. The caller may change it until the next call.
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

// sweep drops what has expired by the last look, and makes room for as many keys again as are left: its cost for each
// new key is constant.
func (t *store[S, P]) sweep() {
	for key, s := range t.states {
		if P(s).over(t.at.nowMS) {
			delete(t.states, key)
		}
	}
	t.sweepAt, t.last = max(smallest, 2*len(t.states)), nil
}

// fork is a store with a copy of key's state, under the same clock. A state that has a list unshares it.
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

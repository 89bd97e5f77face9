package algorithms

// perishable is the state of one key, or of a few that share its name, as Redis keeps it. The zero value is that of a
// key that nobody has used.
type perishable[S any] interface {
	*S
	over(nowMS int64) bool // Redis keeps it until a ms before nowMS, or there is nothing
	reset()                // to the zero value, but for memory that serves again
	clone() S              // shares nothing that decisions change
}

// life is how long Redis keeps a state: while the server's clock, in whole ms, is at most lastMS.
type life struct{ lastMS int64 }

func (l *life) over(nowMS int64) bool { return l.lastMS < nowMS }

// moment is when a request is decided.
type moment struct {
	clock clock // what the rule goes by
	nowUS int64 // by that clock
	nowMS int64 // by the server's clock
}

// afterUS is the last ms at which the server's clock still shows a key that is written now and matters for lifeUS; each
// algorithm's script says why its keys live so long. Where clients say what time it is, it lives a second longer,
// because their clocks may be behind.
func (m *moment) afterUS(lifeUS int64) int64 {
	if m.clock.client {
		return m.nowMS + ceilDiv(lifeUS, 1000) + 1000
	}
	return m.nowMS + ceilDiv(lifeUS, 1000)
}

// store keeps one state of type S for each living key, and drops it when Redis would, by the server's clock in ms: a
// key whose time is over is gone when it is looked at, and before the clock steps back. For Redis deletes such keys in
// the background, within a fraction of a second, and a clock that shows an earlier time brings none back.
//
// It forgets what has expired whenever it has twice as many keys as were left the last time, so that memory grows with
// the living keys.
type store[S any, P perishable[S]] struct {
	states  table[S]
	sweepAt int

	lastKey string // most requests of a hot key follow each other
	last    *S

	at moment // of the last look
}

// smallest is how many keys a store has before it forgets any.
const smallest = 16

func newStore[S any, P perishable[S]](c clock) store[S, P] {
	return store[S, P]{sweepAt: smallest, at: moment{clock: c}}
}

// of gives the state of key at nowUS of the clock that the rule goes by. The caller may change it until the next call.
func (t *store[S, P]) of(key string, nowUS, serverUS int64) *S {
	nowMS := floorDiv(serverUS, 1000)
	if nowMS < t.at.nowMS {
		t.bury()
	}
	t.at.nowUS, t.at.nowMS = nowUS, nowMS
	s := t.state(key)
	if P(s).over(nowMS) {
		P(s).reset()
	}
	return s
}

// bury drops what has expired by the last look, before the clock shows an earlier time.
func (t *store[S, P]) bury() {
	for i := range t.states.entries {
		if s := P(&t.states.entries[i].state); s.over(t.at.nowMS) {
			s.reset()
		}
	}
}

// fork is a store with a copy of key's state, under the same clock.
func (t *store[S, P]) fork(key string) store[S, P] {
	f := newStore[S, P](t.at.clock)
	f.at = t.at
	if s := t.states.find(key); s != nil {
		*f.state(key) = P(s).clone()
	}
	return f
}

// state gives the one of key, which may be new.
func (t *store[S, P]) state(key string) *S {
	if t.last != nil && key == t.lastKey {
		return t.last
	}
	s := t.states.find(key)
	if s == nil {
		if len(t.states.entries) >= t.sweepAt {
			t.sweep()
		}
		s = t.states.add(key)
	}
	t.lastKey, t.last = key, s
	return s
}

// sweep drops what has expired, and makes room for as many keys again as are left: its cost for each new key is
// constant.
func (t *store[S, P]) sweep() {
	t.states.drop(func(s *S) bool { return P(s).over(t.at.nowMS) })
	t.sweepAt, t.last = max(smallest, 2*len(t.states.entries)), nil
}

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
func newModel[S any, P perishable[S]](c clock, r rule[S]) func() limit.Limiter {
	return func() limit.Limiter { return &keyed[S, P]{r, newStore[S, P](c)} }
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
func (k *keyed[S, P]) Fork(key string) limit.Limiter {
	return &keyed[S, P]{k.rule, k.store.fork(key)}
}

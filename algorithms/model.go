package algorithms

import "ratelab/internal/limit"

// model decides as a script does. Its store knows whose clock it goes by.
type model interface {
	limit.TwoClocked
	limit.Forker
}

// decideAt lets l, whose keys are in t, decide where the clocks disagree.
//
// Note: Decide as DecideAt with both clocks alike would be the plainer way round. Handing the decision on takes half
// as long as making it.
func decideAt[S any, P perishable[S]](l limit.Limiter, t *store[S, P], serverUS, clientUS int64, key string,
	cost int64) limit.Decision {
	nowUS := serverUS
	if t.clock.client {
		nowUS = clientUS
	}
	t.aheadUS = serverUS - nowUS
	d := l.Decide(nowUS, key, cost)
	t.aheadUS = 0
	return d
}

// coarse shows a model the client's clock in larger steps.
type coarse struct {
	clock clock
	model model
}

// Decide decides by the floored time. Keys expire by the server's clock, which is not floored.
func (c *coarse) Decide(nowUS int64, key string, cost int64) limit.Decision {
	return c.DecideAt(nowUS, nowUS, key, cost)
}

// DecideAt floors the client's time.
func (c *coarse) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return c.model.DecideAt(serverUS, c.clock.floor(clientUS), key, cost)
}

// Fork is a copy that sees the same steps.
func (c *coarse) Fork(key string) limit.Limiter {
	return &coarse{c.clock, c.model.Fork(key).(model)}
}

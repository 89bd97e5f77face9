package algorithms

import "ratelab/internal/limit"

// rule decides as a script does. Its keys expire by serverUS, the server's clock; all else goes by nowUS, the time that
// the script works with. Its own forks know one key.
type rule interface {
	decide(serverUS, nowUS int64, key string, cost int64) limit.Decision
	fork(key string) rule
}

// model is a rule under the clocks that its instance goes by.
type model struct {
	clock clock
	rule  rule
}

var (
	_ limit.TwoClocked = (*model)(nil)
	_ limit.Forker     = (*model)(nil)
)

// newModel makes the model of a rule that goes by the server's clock.
func newModel(r rule) limit.Limiter { return &model{rule: r} }

// Decide decides where both clocks show nowUS.
func (m *model) Decide(nowUS int64, key string, cost int64) limit.Decision {
	return m.rule.decide(nowUS, m.clock.floor(nowUS), key, cost)
}

// DecideAt decides where the clocks disagree.
func (m *model) DecideAt(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	nowUS := serverUS
	if m.clock.client {
		nowUS = m.clock.floor(clientUS)
	}
	return m.rule.decide(serverUS, nowUS, key, cost)
}

// Fork is a model with a copy of key's state, which shares nothing that either changes.
func (m *model) Fork(key string) limit.Limiter { return &model{m.clock, m.rule.fork(key)} }

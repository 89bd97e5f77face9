package sequence

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
)

// A client may die once its INCR has arrived. What follows is never sent, its request counts as rejected, since nobody
// served it, and a counter that it made has no deadline: from the limit on that rejects everything for good.

// mayDie draws whether a's client dies. There is a draw for each attempt, so that it depends on the seed and the
// attempt's number alone; who dies of 1 % dies of 2 %, too.
func (a *attempt) mayDie() { a.dies = a.play.crashes.Int64N(oneShare) < a.play.choice.value("crash") }

// die ends an attempt without an answer.
func (a *attempt) die() clients.Move {
	a.died = true
	a.play.figures.Crashes++
	return done(limit.Decision{Verdict: limit.Rejected, RetryAfterUS: limit.Never})
}

// notYet is the time of what has not happened.
const notYet = -1

// mourn takes in the reply to an INCRBY that arrived at atUS since the start.
func (p *Play) mourn(atUS int64, m command, count int64) {
	if m.attempt.dies && count == m.Number {
		p.orphans[m.Key] = notYet
	}
	if since, there := p.orphans[m.Key]; there && since == notYet && count > m.attempt.rule().limit {
		p.orphans[m.Key] = atUS
	}
}

// LockedOutUS is the longest time for which a counter that a dead client left has rejected its key: from the first
// request that it rejected to atUS, both since the start.
func (p *Play) LockedOutUS(atUS int64) int64 {
	var longest int64
	for _, since := range p.orphans {
		if since != notYet {
			longest = max(longest, atUS-since)
		}
	}
	return longest
}

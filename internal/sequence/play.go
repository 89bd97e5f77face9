package sequence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/resp"
	"ratelab/internal/traffic"
)

// Play is one sequence in one run: the Protocol of its clients, and the Server that replies to them. It is not safe for
// concurrent use.
type Play struct {
	label           string
	rule            *Sequence
	value           map[string]int64 // of the parameters
	limit, windowUS int64
	startUS         int64
	store           store
	random          *rand.Rand       // for the waits for a lock
	crashes         *rand.Rand       // one draw per attempt
	orphans         map[string]int64 // counters left by dead clients: since when each rejects, or notYet
	queues
	skewUS  int64 // error of the server's clock at the last message
	begun   int64 // number of attempts
	calls   []Call
	figures measure.Race // without the figures that Figures adds
}

// Call is a command and its reply.
type Call struct {
	TrueUS  int64 // since the start
	AtUS    int64 // by the server's clock, since 1970
	Command Command
	Reply   resp.Value
}

// New prepares the sequence c under the limit p, for a run that begins at start. All randomness comes from seed.
func New(c Choice, p limit.Policy, start time.Time, seed uint64) *Play {
	return &Play{label: c.Label, rule: c.Sequence, value: c.numbers(), limit: p.Requests, windowUS: p.WindowUS(),
		startUS: start.UnixMicro(), store: store{}, orphans: map[string]int64{},
		queues:  queues{elements: map[string]*element{}},
		random:  traffic.Random(seed, c.Label, "waits for a lock"),
		crashes: traffic.Random(seed, c.Sequence.Name, "crashes")}
}

// Figures returns the counts of all commands up to now.
func (p *Play) Figures() measure.Race {
	f := p.figures
	f.QueueLost, f.QueueKept = p.lost()
	return f
}

// Calls returns the commands in the order in which the server received them.
func (p *Play) Calls() []Call { return p.calls }

// Serve replies to a message of p's exchanges, at q's time by the server's clock.
func (p *Play) Serve(_ context.Context, q limit.Request, message any) (any, error) {
	if err, cannot := message.(error); cannot {
		return nil, fmt.Errorf("sequence %s: %w", p.label, err)
	}
	p.skewUS = q.ServerSkewUS
	if p.rule.worker {
		p.work(q.AtUS, q.ServerSkewUS)
	}
	m := message.(sent)
	nowUS := p.startUS + q.AtUS + q.ServerSkewUS
	if m.decides {
		m.by.alone = p.uninterrupted(nowUS, m.by)
	}
	p.figures.Commands++
	reply := p.do(q.AtUS, nowUS, m.Command)
	if m.Name == "INCRBY" {
		m.by.counted(q.AtUS, reply.Int)
	}
	return reply, nil
}

// do runs a command that arrives at trueUS since the start. The server's clock then shows nowUS since 1970.
func (p *Play) do(trueUS, nowUS int64, c Command) resp.Value {
	reply := p.store.do(nowUS, c)
	p.calls = append(p.calls, Call{trueUS, nowUS, c, reply})
	p.figures.QueuePeak = max(p.figures.QueuePeak, p.store.length(c.Key))
	return reply
}

// uninterrupted reports whether the sequence would admit other's request if all its commands, without the lock, ran at
// one moment.
func (p *Play) uninterrupted(nowUS int64, other *attempt) bool {
	store, a := p.store.fork(other.counter), p.attempt(other.request)
	move := p.rule.decide(a)
	for !move.Done {
		move = a.then(store.do(nowUS, move.Message.(sent).Command))
	}
	return move.Decision.Allowed()
}

// attempt returns an attempt for q that has not sent anything.
func (p *Play) attempt(q limit.Request) *attempt {
	// The hash tag keeps a counter and its lock in one slot of a cluster.
	a := &attempt{Play: p, request: q, counter: p.label + ":{" + q.Key + "}", finish: done}
	if p.rule.suffix != nil {
		a.counter += p.rule.suffix(a)
	}
	return a
}

// Attempt begins an attempt to get a decision on q. A nil client has a correct clock.
func (p *Play) Attempt(c *clients.Client, q limit.Request) clients.Exchange {
	p.begun++
	if c != nil {
		q.ClientSkewUS = c.SkewUS(q.AtUS)
	}
	a := p.attempt(q)
	a.token = decimal(p.begun)
	if p.rule.prepare != nil {
		p.rule.prepare(a)
	}
	return a
}

// decided counts the outcome of an attempt.
func (p *Play) decided(a *attempt, admitted bool) {
	switch {
	case admitted && !a.alone:
		p.figures.RaceAdmits++
	case !admitted && a.alone:
		p.figures.RaceRejects++
	}
	if e := p.elements[a.token]; e != nil {
		e.decided, e.admitted = true, admitted
	}
}

// Finish lets the worker, if there is one, take the elements that are due by endUS since the start. It must be the last
// call.
func (p *Play) Finish(endUS int64) {
	if p.rule.worker {
		p.work(endUS, p.skewUS)
	}
}

// Left counts the keys that are alive at atUS since the start after all commands, and how many of these have no TTL. A
// PEXPIRE that is still in transit at atUS counts as done.
func (p *Play) Left(atUS int64) (keys, withoutTTL int64) { return p.store.left(p.startUS + atUS) }

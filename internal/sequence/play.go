package sequence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// Play is one sequence in one run: how its clients ask (a clients.Protocol) and what their server answers (a
// clients.Server). It is not safe for concurrent use.
type Play struct {
	choice  Choice
	window  window
	startUS int64
	store   *Store
	random  *rand.Rand       // of the waits for a lock
	crashes *rand.Rand       // a draw for each attempt
	orphans map[string]int64 // counters that dead clients left, and since when each rejects; notYet: it does not
	queues  queues
	skewUS  int64 // of the server's clock, at the last message
	begun   int64 // attempts
	calls   []Call
	figures Figures
}

// Figures are what became of the attempts that came to a decision, and what all of them sent.
type Figures struct {
	Commands int64 // of clients that the server took
	// RaceAdmits were admitted though the sequence, run without interruption at the moment of its last deciding
	// command, would have rejected them; RaceRejects are the reverse. A lock is left out of the comparison.
	RaceAdmits, RaceRejects int64
	LockWaits               int64 // attempts to take a lock that somebody else held
	LockLosses              int64 // locks that expired before their holder let go of them
	Crashes                 int64 // clients that died between two commands: no decision of theirs is compared

	// QueuePeak is the most elements that a queue had after any command; Trimmed are those that LTRIM removed, and
	// TrimmedNeedlessly those of them that were among the L which may stay.
	QueuePeak, Trimmed, TrimmedNeedlessly int64
	// QueueLost were trimmed away though their requests were admitted; QueueKept are elements of rejected requests
	// that were not trimmed away.
	QueueLost, QueueKept int64
}

// Call is a command and its reply.
type Call struct {
	TrueUS  int64 // since the start
	AtUS    int64 // of the server's clock, since 1970
	Command Command
	Reply   Reply
}

// New prepares c under limit p for a run that begins at start. All randomness comes from seed.
func New(c Choice, p limit.Policy, start time.Time, seed uint64) *Play {
	play := &Play{choice: c, window: newWindow(p), startUS: start.UnixMicro(), store: NewStore(),
		random:  traffic.Random(seed, c.Label, "waits for a lock"),
		crashes: traffic.Random(seed, c.Spec.Name, "crashes"),
		orphans: map[string]int64{}, queues: queues{elements: map[string]*element{}}}
	play.store.trimmed = func(removed []string, length int64) { play.queues.drop(removed, length, p.Requests) }
	return play
}

// Figures are the counts so far.
func (p *Play) Figures() Figures {
	f, s := p.figures, &p.queues
	f.QueuePeak, f.Trimmed, f.TrimmedNeedlessly = s.peak, s.trimmed, s.needless
	f.QueueLost, f.QueueKept = s.lost()
	return f
}

// Calls are the commands in the order in which the server took them.
func (p *Play) Calls() []Call { return p.calls }

// command is one under way, with the attempt that it belongs to.
type command struct {
	Command
	attempt *attempt
	decides bool
}

// Serve answers a message of one of p's exchanges at q's time by the server's clock.
func (p *Play) Serve(_ context.Context, q limit.Request, sent any) (any, error) {
	m, ok := sent.(command)
	if !ok {
		return nil, fmt.Errorf("sequence %s: a message of type %T is none of its own", p.choice.Label, sent)
	}
	p.skewUS = q.ServerSkewUS
	if p.choice.Spec.worker {
		if err := p.work(q.AtUS, q.ServerSkewUS); err != nil {
			return nil, err
		}
		p.queues.arrive(m)
	}
	nowUS := p.startUS + q.AtUS + q.ServerSkewUS
	if m.decides {
		alone, err := p.uninterrupted(nowUS, p.store.fork(m.attempt.counter), m.attempt.request)
		if err != nil {
			return nil, err
		}
		m.attempt.alone = alone.Allowed()
	}
	reply, err := p.do(q.AtUS, nowUS, m.Command)
	if err != nil {
		return nil, err
	}
	p.figures.Commands++
	if m.Operation == IncrementBy {
		p.mourn(q.AtUS, m, reply.Integer)
	}
	return reply, nil
}

// do lets the server answer a command that arrives at trueUS since the start, when its clock shows nowUS since 1970.
func (p *Play) do(trueUS, nowUS int64, c Command) (Reply, error) {
	reply, err := p.store.Do(nowUS, c)
	if err != nil {
		return Reply{}, fmt.Errorf("sequence %s: %w", p.choice.Label, err)
	}
	p.calls = append(p.calls, Call{trueUS, nowUS, c, reply})
	p.queues.peak = max(p.queues.peak, p.store.length(c.Key))
	return reply, nil
}

// uninterrupted decides q by p's sequence without its lock, all commands at one moment.
func (p *Play) uninterrupted(nowUS int64, store *Store, q limit.Request) (limit.Decision, error) {
	a := p.attempt(q)
	move := p.choice.Spec.decide(a)
	for !move.Done {
		reply, err := store.Do(nowUS, move.Message.(command).Command)
		if err != nil {
			return limit.Decision{}, fmt.Errorf("sequence %s: %w", p.choice.Label, err)
		}
		move = a.then(reply)
	}
	return move.Decision, nil
}

// attempt is a new one for q, which has sent nothing.
func (p *Play) attempt(q limit.Request) *attempt {
	// The hash tag keeps a counter and its lock on one shard of a cluster.
	a := &attempt{play: p, request: q, counter: p.choice.Label + ":{" + q.Key + "}", finish: done}
	if suffix := p.choice.Spec.suffix; suffix != nil {
		a.counter += suffix(a)
	}
	return a
}

// Attempt begins to ask for a decision on q. A client that is nil has a clock that is right.
func (p *Play) Attempt(c *clients.Client, q limit.Request) clients.Exchange {
	p.begun++
	if c != nil {
		q.ClientSkewUS = c.SkewUS(q.AtUS)
	}
	a := p.attempt(q)
	a.token = strconv.FormatInt(p.begun, 10)
	if prepare := p.choice.Spec.prepare; prepare != nil {
		prepare(a)
	}
	return a
}

// decided takes in what became of an attempt.
func (p *Play) decided(a *attempt, admitted bool) {
	switch {
	case admitted && !a.alone:
		p.figures.RaceAdmits++
	case !admitted && a.alone:
		p.figures.RaceRejects++
	}
	if e := p.queues.elements[a.token]; e != nil {
		e.decided, e.admitted = true, admitted
	}
}

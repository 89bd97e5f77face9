// Package localflag is a client's memory of being over the limit. After a rejection that names a time to wait, the
// client process rejects what it is asked for that key until then by itself, by its own clock, and saves the round
// trip. Who else uses the key, how far the clocks are off, and that a smaller request might have passed, it cannot
// know: what it gets wrong is counted.
//
// Source: https://github.com/envoyproxy/ratelimit#local-cache, which does so for a window's remainder.
package localflag

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
)

// Oracle can be asked what would become of a request, and forgets the question. known is false where it cannot tell.
type Oracle interface {
	WouldAdmit(q limit.Request) (admitted, known bool)
}

// Flag is the clients.Protocol of clients that remember, around the one by which they ask. Clients of groups without
// LocalFlag only ask.
type Flag struct {
	inner   clients.Protocol
	oracle  Oracle
	clock   clients.ServerClock
	until   map[memory]int64 // by the client's clock, in µs since the start
	figures Figures
}

// memory is what one client knows of one key.
type memory struct {
	client int64
	key    string
}

// Figures are what the memory saves, and what it gets wrong.
type Figures struct {
	LocalRejects int64 // decided without asking: round trips saved
	WrongRejects int64 // those of them that the server would have admitted at that moment
}

// New is inner with a memory. The oracle answers for the server, whose clock is given.
func New(inner clients.Protocol, oracle Oracle, clock clients.ServerClock) *Flag {
	return &Flag{inner: inner, oracle: oracle, clock: clock, until: map[memory]int64{}}
}

// Figures are the counts so far.
func (f *Flag) Figures() Figures { return f.figures }

// Attempt begins to decide q, by memory if that will do.
func (f *Flag) Attempt(c *clients.Client, q limit.Request) clients.Exchange {
	inner := f.inner.Attempt(c, q)
	if !c.Group.LocalFlag {
		return inner
	}
	return &exchange{inner: inner, flag: f, client: c, request: q}
}

type exchange struct {
	inner   clients.Exchange
	flag    *Flag
	client  *clients.Client
	request limit.Request
	begun   bool
}

// Next looks at the memory first, and learns from what the server decides.
func (e *exchange) Next(nowUS int64, reply any) clients.Move {
	ownUS := nowUS + e.client.SkewUS(nowUS)
	about := memory{e.client.Number, e.request.Key}
	if !e.begun {
		e.begun = true
		if until, known := e.flag.until[about]; known && ownUS < until {
			return clients.Move{Done: true, Decision: e.reject(nowUS, until-ownUS)}
		}
		delete(e.flag.until, about)
	}
	move := e.inner.Next(nowUS, reply)
	// What never passes says nothing about smaller requests.
	if d := move.Decision; move.Done && d.Verdict == limit.Rejected && d.RetryAfterUS > 0 {
		e.flag.until[about] = ownUS + d.RetryAfterUS
	}
	return move
}

// reject is the client's own answer.
func (e *exchange) reject(nowUS, waitUS int64) limit.Decision {
	f, q := e.flag, e.request
	f.figures.LocalRejects++
	q.AtUS, q.ServerSkewUS, q.ClientSkewUS = nowUS, f.clock.SkewUS(nowUS), e.client.SkewUS(nowUS)
	if admitted, _ := f.oracle.WouldAdmit(q); admitted {
		f.figures.WrongRejects++
	}
	return limit.Decision{Verdict: limit.Rejected, RetryAfterUS: waitUS, ResetAfterUS: waitUS}
}

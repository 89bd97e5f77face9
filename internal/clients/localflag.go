package clients

import "ratelab/internal/limit"

// LocalFlag is the Protocol of clients that remember that they are over the limit, around the one by which they ask.
// After a rejection that names a time to wait, such a client rejects what it is asked for that key until then by
// itself, by its own clock, and saves the round trip. Who else uses the key, how far the clocks are off, and that a
// smaller request might have passed, it cannot know: what it gets wrong is counted. Clients of groups without LocalFlag
// only ask.
//
// Source: https://github.com/envoyproxy/ratelimit#local-cache, which does so for a window's remainder.
type LocalFlag struct {
	LocalRejects int64 // decided without asking: round trips saved
	WrongRejects int64 // those of them that the server would have admitted at that moment

	inner  Protocol
	oracle oracle
	clock  ServerClock
	until  map[memory]int64 // by the client's clock, in µs since the start
}

// oracle can be asked what would become of a request, as a Limiter can.
type oracle interface {
	WouldAdmit(q limit.Request) bool
}

// memory is what one client knows of one key.
type memory struct {
	client int64
	key    string
}

// NewLocalFlag is inner with a memory. The oracle answers for the server, whose clock is given.
func NewLocalFlag(inner Protocol, o oracle, clock ServerClock) *LocalFlag {
	return &LocalFlag{inner: inner, oracle: o, clock: clock, until: map[memory]int64{}}
}

// Attempt begins to decide q, by memory if that will do.
func (f *LocalFlag) Attempt(c *Client, q limit.Request) Exchange {
	inner := f.inner.Attempt(c, q)
	if !c.Group.LocalFlag {
		return inner
	}
	return &remembering{Exchange: inner, flag: f, client: c, request: q}
}

type remembering struct {
	Exchange
	flag    *LocalFlag
	client  *Client
	request limit.Request
	begun   bool
}

// Next looks at the memory first, and learns from what the server decides.
func (e *remembering) Next(nowUS int64, reply any) Move {
	ownUS := nowUS + e.client.SkewUS(nowUS)
	about := memory{e.client.Number, e.request.Key}
	if !e.begun {
		e.begun = true
		if until, known := e.flag.until[about]; known && ownUS < until {
			return Move{Done: true, Decision: e.reject(nowUS, until-ownUS)}
		}
		delete(e.flag.until, about)
	}
	move := e.Exchange.Next(nowUS, reply)
	// What never passes says nothing about smaller requests.
	if d := move.Decision; move.Done && d.Verdict == limit.Rejected && d.RetryAfterUS > 0 {
		e.flag.until[about] = ownUS + d.RetryAfterUS
	}
	return move
}

// reject is the client's own answer.
func (e *remembering) reject(nowUS, waitUS int64) limit.Decision {
	f, q := e.flag, e.request
	f.LocalRejects++
	q.AtUS, q.ServerSkewUS, q.ClientSkewUS = nowUS, f.clock.SkewUS(nowUS), e.client.SkewUS(nowUS)
	if f.oracle.WouldAdmit(q) {
		f.WrongRejects++
	}
	return limit.Decision{Verdict: limit.Rejected, RetryAfterUS: waitUS, ResetAfterUS: waitUS}
}

package clients

import "ratelab/internal/limit"

// LocalFlag is a Protocol whose clients remember a rejection, around another Protocol. Until retry_after, by its own
// clock, such a client itself rejects all requests for that key, which saves the round trip. Some of these rejections
// are wrong, because the client does not know about other clients or wrong clocks, and because smaller requests may be
// admitted. The wrong rejections are counted. Clients of groups without LocalFlag always ask the server.
//
// Source: https://github.com/envoyproxy/ratelimit#local-cache, which does so for the rest of a window.
type LocalFlag struct {
	LocalRejects int64 // rejections by the client: round trips saved
	WrongRejects int64 // the server would have admitted these at that moment

	inner  Protocol
	oracle oracle
	clock  ServerClock
	until  map[memory]int64 // by the client's clock, in µs since the start
}

// oracle reports whether a request would be admitted, as a Limiter does.
type oracle interface {
	WouldAdmit(q limit.Request) bool
}

// memory is one client and one key that it remembers.
type memory struct {
	client int64
	key    string
}

// NewLocalFlag adds the memory of rejections to inner. The oracle decides in place of the server, whose clock is given.
func NewLocalFlag(inner Protocol, o oracle, clock ServerClock) *LocalFlag {
	return &LocalFlag{inner: inner, oracle: o, clock: clock, until: map[memory]int64{}}
}

// Attempt begins an attempt. The memory may decide it.
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

// Next looks into the memory first, and remembers the server's decision.
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
	// A request that can never be admitted says nothing about smaller ones.
	if d := move.Decision; move.Done && d.Verdict == limit.Rejected && d.RetryAfterUS > 0 {
		e.flag.until[about] = ownUS + d.RetryAfterUS
	}
	return move
}

// reject returns the client's own rejection.
func (e *remembering) reject(nowUS, waitUS int64) limit.Decision {
	f, q := e.flag, e.request
	f.LocalRejects++
	q.AtUS, q.ServerSkewUS, q.ClientSkewUS = nowUS, f.clock.SkewUS(nowUS), e.client.SkewUS(nowUS)
	if f.oracle.WouldAdmit(q) {
		f.WrongRejects++
	}
	return limit.Decision{Verdict: limit.Rejected, RetryAfterUS: waitUS, ResetAfterUS: waitUS}
}

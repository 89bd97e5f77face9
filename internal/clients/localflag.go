package clients

import "ratelab/internal/limit"

// LocalFlag is a Protocol around another Protocol. Its clients remember a rejection until retry_after has passed on
// their own clock. Until then, such a client itself rejects all requests for the key, which saves the round trip. Some
// of these rejections are wrong, because the client does not know about other clients or wrong clocks, and because
// smaller requests might be admitted. LocalFlag counts the wrong rejections. Clients of groups without LocalFlag always
// ask the server.
//
// Source: https://github.com/envoyproxy/ratelimit#local-cache, which remembers a rejection for the rest of a window.
type LocalFlag struct {
	LocalRejects int64 // rejections by the client: round trips saved
	WrongRejects int64 // of these, requests that the server would have admitted

	inner  Protocol
	oracle oracle
	clock  ServerClock
	until  map[memory]int64 // by the client's clock, in µs since the start
}

// oracle reports whether a request would be admitted, as a Limiter does.
type oracle interface {
	WouldAdmit(q limit.Request) bool
}

// memory identifies a remembered rejection: a client, and a key.
type memory struct {
	client int64
	key    string
}

// NewLocalFlag returns a LocalFlag around inner. o tells whether the server would admit a request. clock is the
// server's clock.
func NewLocalFlag(inner Protocol, o oracle, clock ServerClock) *LocalFlag {
	return &LocalFlag{inner: inner, oracle: o, clock: clock, until: map[memory]int64{}}
}

// Attempt begins an attempt. A remembered rejection may decide it.
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

// Next rejects if a rejection is remembered. Otherwise it asks the server, and remembers a rejection.
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

// reject returns the rejection that the client itself decides, and counts it.
func (e *remembering) reject(nowUS, waitUS int64) limit.Decision {
	f, q := e.flag, e.request
	f.LocalRejects++
	q.AtUS, q.ServerSkewUS, q.ClientSkewUS = nowUS, f.clock.SkewUS(nowUS), e.client.SkewUS(nowUS)
	if f.oracle.WouldAdmit(q) {
		f.WrongRejects++
	}
	return limit.Decision{Verdict: limit.Rejected, RetryAfterUS: waitUS, ResetAfterUS: waitUS}
}

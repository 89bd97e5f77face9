// Package limit is the vocabulary that every other package shares: what a limit is, what a request asks,
// what a limiter answers. It knows no algorithm, no Redis and no clock: time is an argument, in whole
// microseconds.
package limit

// Request is one call on a limiter.
type Request struct {
	AtUS int64  // since the scenario's start, in microseconds; never decreasing within a stream
	Key  string // the client, tenant or resource that the limit applies to, without any prefix
	Cost int64  // permits asked for, at least 1

	// How far the clocks are off at that moment, in microseconds: the server's, and that of the client that asks.
	// AtUS is the true time. Both are 0 where nothing is said about clocks.
	ServerSkewUS, ClientSkewUS int64
}

// Skewed reports whether any clock is off.
func (q *Request) Skewed() bool { return q.ServerSkewUS != 0 || q.ClientSkewUS != 0 }

// Verdict is what became of a request. Its values are those of the Lua contract's first reply element.
type Verdict int8

// The verdicts a limiter can give.
const (
	Unavailable   Verdict = -2 // nobody decided, which a binding or a scenario names as an outcome: the request fails
	NotConfigured Verdict = -1 // a managed limiter has no such bucket, or the application is not on its list
	Rejected      Verdict = 0
	Allowed       Verdict = 1
)

// Never is the RetryAfterUS of a request that no waiting will ever help.
const Never int64 = -1

// Decision is a limiter's whole answer to one request.
type Decision struct {
	Verdict      Verdict
	Remaining    int64 // the cost that would still be admitted at this instant
	RetryAfterUS int64 // 0 when allowed; otherwise how long until the same request, alone, passes; or Never
	ResetAfterUS int64 // how long until the full burst is back if nothing else arrives
	DelayUS      int64 // shapers only: how long the admitted request must wait before it leaves
}

// Allowed reports whether the request was admitted.
func (d Decision) Allowed() bool { return d.Verdict == Allowed }

// Limiter decides requests one after the other. Times are absolute, in microseconds since 1970; they may step back, as
// clocks do. A Limiter is not safe for concurrent use.
type Limiter interface {
	// Decide decides where all clocks agree.
	Decide(nowUS int64, key string, cost int64) Decision
	// DecideAt decides where they do not: one of them is what the rule goes by, and by the server's keys expire.
	DecideAt(serverUS, clientUS int64, key string, cost int64) Decision
	// Fork is a limiter with a copy of key's state, which decides as this one would. It knows no other key.
	Fork(key string) Limiter
}

// Ask lets l decide q by q's clocks, where q's times count from startUS.
func Ask(l Limiter, startUS int64, q *Request) Decision {
	now := startUS + q.AtUS
	if !q.Skewed() {
		return l.Decide(now, q.Key, q.Cost)
	}
	return l.DecideAt(now+q.ServerSkewUS, now+q.ClientSkewUS, q.Key, q.Cost)
}

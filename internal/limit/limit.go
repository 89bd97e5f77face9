// Package limit defines the types that all packages share: limits, requests and decisions. It depends on no algorithm,
// no Redis and no clock. Time is an argument, in whole microseconds.
package limit

// Request is one call of a limiter.
type Request struct {
	AtUS int64  // since the scenario's start, in microseconds; never decreasing within a stream
	Key  string // the client, tenant or resource that the limit applies to, without any prefix
	Cost int64  // the requested tokens, at least 1

	TakesUS int64 // how long the request runs in microseconds, at least 1; 0: unknown
	Actual  int64 // the cost that is known when the request ends; 0: it is Cost

	Dies bool // its holder dies after TakesUS, and never ends it
	// Ended is set if this is a call at the end of a request, whose Cost is what was reserved.
	Ended *Ending
	// The errors of the server's and the client's clock at that moment, in microseconds; 0: the clock is correct. AtUS
	// is the true time.
	ServerSkewUS, ClientSkewUS int64
}

// Spent returns the request's cost as it is known at its end.
func (q *Request) Spent() int64 {
	if q.Actual > 0 {
		return q.Actual
	}
	return q.Cost
}

// Skewed reports whether any clock is wrong.
func (q *Request) Skewed() bool { return q.ServerSkewUS != 0 || q.ClientSkewUS != 0 }

// Verdict is the outcome of a request. Its values are those that the scripts return as their first reply element.
type Verdict int8

// The verdicts a limiter can give.
const (
	// no decision was made, because a binding says so for this reply, or a scenario for this time: the request fails
	Unavailable   Verdict = -2
	NotConfigured Verdict = -1 // a managed limiter has no such bucket, or the application is not on its list
	Rejected      Verdict = 0
	Allowed       Verdict = 1
)

// Never is the RetryAfterUS of a request that will never be admitted.
const Never int64 = -1

// Decision is a limiter's answer to one request.
type Decision struct {
	Verdict      Verdict
	Remaining    int64 // the cost that would still be admitted at this instant
	RetryAfterUS int64 // 0 if admitted; otherwise the time until the same request would be admitted; or Never
	ResetAfterUS int64 // the time until the full burst is available if nothing else arrives
	DelayUS      int64 // shapers only: how long the admitted request must wait before it leaves

	// With several limits: those that refused the request, and those that charged it. A limit that was not asked is in
	// neither set.
	Refused, Charged Each
}

// Allowed reports whether the request was admitted.
func (d Decision) Allowed() bool { return d.Verdict == Allowed }

// Model decides requests one after the other. Times are absolute, in microseconds since 1970; they may step back, as
// clocks do. A Model is not safe for concurrent use.
type Model interface {
	// Decide decides at the times that both clocks show. The rule uses one of them. Keys expire by the server's clock.
	Decide(serverUS, clientUS int64, key string, cost int64) Decision
	// Fork returns a model with a copy of the state of key, and of no other keys.
	Fork(key string) Model
}

// Ask lets l decide q with q's clocks. q's times count from startUS.
func Ask(l Model, startUS int64, q *Request) Decision {
	now := startUS + q.AtUS
	return l.Decide(now+q.ServerSkewUS, now+q.ClientSkewUS, q.Key, q.Cost)
}

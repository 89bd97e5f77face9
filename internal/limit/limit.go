// Package limit defines the types that all packages share: limits, requests and decisions. It depends on no algorithm,
// no Redis and no clock. Time is an argument, in whole microseconds.
package limit

// Request is one call of a limiter.
type Request struct {
	AtUS int64  // since the scenario's start, in microseconds; does not decrease within a stream
	Key  string // the client, tenant or resource that the limit applies to, without any prefix
	Cost int64  // the requested tokens, at least 1

	TakesUS int64 // how long the request runs in microseconds, at least 1; 0: unknown
	Actual  int64 // the cost that is known when the request ends; 0: it is Cost

	Dies bool // its holder dies after TakesUS, and never ends it
	// Ended is set if the request has ended and this call reports it. Cost is then the cost that the start reserved.
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
	// the request failed without a decision: the binding lists the reply as unavailable, or the scenario has an outage
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
	Remaining    int64 // the cost that would be admitted now
	RetryAfterUS int64 // until the same request would be admitted, or Never; 0 if admitted
	ResetAfterUS int64 // the time until the full burst is available, without further requests
	DelayUS      int64 // shapers only: how long the admitted request must wait before it leaves

	// With several limits: those that refused the request, and those that charged it. A limit that was not asked is in
	// neither set.
	Refused, Charged Each

	// Reply has the elements of the script's reply, if the call at the request's end needs them; otherwise it is nil.
	Reply *[]string
}

// Allowed reports whether the request was admitted.
func (d Decision) Allowed() bool { return d.Verdict == Allowed }

// Model decides requests one after the other. Times are in microseconds since 1970. They may step back, because clocks
// may step back. A Model is not safe for concurrent use.
type Model interface {
	// Decide decides one request. serverUS and clientUS are the times that both clocks show. The rule uses one of them.
	// Keys expire by the server's clock.
	Decide(serverUS, clientUS int64, key string, cost int64) Decision
	// Fork returns a model with a copy of the state of key, and of no other keys.
	Fork(key string) Model
}

// Ask returns the decision of l on q, at the times of q's clocks. The times of q are relative to startUS.
func Ask(l Model, startUS int64, q *Request) Decision {
	now := startUS + q.AtUS
	return l.Decide(now+q.ServerSkewUS, now+q.ClientSkewUS, q.Key, q.Cost)
}

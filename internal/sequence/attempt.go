package sequence

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// attempt is one client's progress through the sequence's commands.
type attempt struct {
	*Play
	request limit.Request
	counter string // the key of the counter

	then   func(resp.Value) clients.Move     // takes the reply to the last command; nil before the first command
	finish func(limit.Decision) clients.Move // returns the next move after the decision
	alone  bool                              // would be admitted without interleaved commands

	token string // content of its lock, and of the elements that it pushes
	tries int64  // number of attempts to take the lock
	dies  bool   // the client dies after its INCRBY has arrived
	died  bool
}

// Next sends the next command, or ends the attempt.
func (a *attempt) Next(_ int64, reply any) clients.Move {
	var move clients.Move
	switch {
	case a.then != nil:
		move = a.then(reply.(resp.Value))
	case a.rule.lock != nil:
		move = a.rule.lock(a)
	default:
		move = a.rule.decide(a)
	}
	if move.Done && !a.died { // a dead client decides nothing
		a.decided(a, move.Decision.Allowed())
	}
	return move
}

// sent is a command in progress, with its attempt.
type sent struct {
	Command
	by      *attempt
	decides bool
}

// ask sends a command whose reply matters for the decision.
func (a *attempt) ask(c Command, then func(resp.Value) clients.Move) clients.Move {
	a.then = then
	return clients.Move{Message: sent{c, a, true}, Deciding: true}
}

// send sends a command whose reply does not matter for the decision.
func (a *attempt) send(c Command, then func(resp.Value) clients.Move) clients.Move {
	a.then = then
	return clients.Move{Message: sent{c, a, false}}
}

// done ends an attempt.
func done(d limit.Decision) clients.Move { return clients.Move{Done: true, Decision: d} }

// increment counts the request.
func (a *attempt) increment(then func(count int64) clients.Move) clients.Move {
	return a.ask(incrementBy(a.counter, a.request.Cost), func(r resp.Value) clients.Move { return then(r.Int) })
}

// open sets the counter's TTL, in µs, if this request is the counter's first. count is the counter after the request.
func (a *attempt) open(count int64, d limit.Decision, us int64) clients.Move {
	if count != a.request.Cost {
		return a.finish(d)
	}
	return a.send(expire(a.counter, upMS(us)), func(resp.Value) clients.Move { return a.finish(d) })
}

// upMS converts microseconds to milliseconds for PEXPIRE, rounded up.
func upMS(us int64) int64 { return (us + 999) / 1000 }

// answer returns the decision on a request when used of the limited tokens are used. No command tells how long the
// window still lasts, so a rejected client waits for a whole window.
func (a *attempt) answer(admitted bool, used, limited int64) limit.Decision {
	d := limit.Decision{Verdict: limit.Rejected, Remaining: max(0, limited-used), RetryAfterUS: a.windowUS,
		ResetAfterUS: a.windowUS}
	switch {
	case admitted:
		d.Verdict, d.RetryAfterUS = limit.Allowed, 0
	case a.request.Cost > limited:
		d.RetryAfterUS = limit.Never
	}
	return d
}

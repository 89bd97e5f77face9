package sequence

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// attempt is one client's way through the sequence's commands.
type attempt struct {
	*Play
	request limit.Request
	counter string // its key

	then   func(resp.Value) clients.Move     // what the reply to the last command leads to; nil before the first
	finish func(limit.Decision) clients.Move // what is left to do once it is decided
	alone  bool                              // whether it would be admitted if nobody came between

	token string // what its lock holds, and what it pushes
	tries int64  // to take the lock
	dies  bool   // its client, once its INCRBY has arrived
	died  bool
}

// Next sends the next command, or is done.
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
	if move.Done && !a.died { // who died has decided nothing
		a.decided(a, move.Decision.Allowed())
	}
	return move
}

// sent is a command under way, with the attempt that it belongs to.
type sent struct {
	Command
	by      *attempt
	decides bool
}

// ask sends a command on whose reply the decision depends.
func (a *attempt) ask(c Command, then func(resp.Value) clients.Move) clients.Move {
	a.then = then
	return clients.Move{Message: sent{c, a, true}, Deciding: true}
}

// send sends a command that only tidies up.
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

// open gives the counter its end, us from then on, where this request, which counted up to count, is the first of it.
func (a *attempt) open(count int64, d limit.Decision, us int64) clients.Move {
	if count != a.request.Cost {
		return a.finish(d)
	}
	return a.send(expire(a.counter, upMS(us)), func(resp.Value) clients.Move { return a.finish(d) })
}

// upMS is us as PEXPIRE takes it.
func upMS(us int64) int64 { return (us + 999) / 1000 }

// answer is that to a request where so many permits of a limit are used. No command tells how long the window still
// lasts, so that a client which is told to wait waits for a whole one.
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

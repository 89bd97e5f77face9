package sequence

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
)

// attempt is one client's way through the sequence's commands.
type attempt struct {
	play    *Play
	request limit.Request
	counter string // its key

	then   func(Reply) clients.Move          // what the reply to the last command leads to; nil before the first
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
	if a.then == nil {
		move = a.play.choice.Spec.begin(a)
	} else {
		move = a.then(reply.(Reply))
	}
	if move.Done && !a.died { // who died has decided nothing
		a.play.decided(a, move.Decision.Allowed())
	}
	return move
}

// ask sends a command on whose reply the decision depends.
func (a *attempt) ask(c Command, then func(Reply) clients.Move) clients.Move {
	move := a.send(c, then)
	move.Message = command{c, a, true}
	move.Deciding = true
	return move
}

// send sends a command that only tidies up.
func (a *attempt) send(c Command, then func(Reply) clients.Move) clients.Move {
	a.then = then
	return clients.Move{Message: command{c, a, false}}
}

// done ends an attempt.
func done(d limit.Decision) clients.Move { return clients.Move{Done: true, Decision: d} }

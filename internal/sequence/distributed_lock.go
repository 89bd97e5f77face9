package sequence

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
)

var distributedLock = Spec{
	Name: "distributed-lock",
	Rule: "SET NX PX of a lock, tried again while another holds it; then as read-then-increment; then the lock is " +
		"deleted if it is still its own",
	Danger:  "who does not get the lock is rejected unread; a lock that expires under its holder guards nothing",
	Sources: []string{"https://redis.io/docs/latest/develop/use/patterns/distributed-locks/"},
	Parameters: []Parameter{
		{Name: "lock_ttl", Doc: "how long a lock lives", Form: Duration, Low: 1000, High: 3600e6, Default: 100_000},
		{Name: "spin", Doc: "the wait before the lock is tried again", Form: Duration, Low: 1, High: 60e6,
			Default: 5000},
		{Name: "jitter", Doc: "a random wait on top of it, from 0 to this", Form: Duration, Low: 0, High: 60e6,
			Default: 5000},
		{Name: "tries", Doc: "to take the lock, at the most", Low: 1, High: 10_000, Default: 10},
	},
	begin:  (*attempt).take,
	decide: (*attempt).read,
}

// take tries to get the lock.
func (a *attempt) take() clients.Move {
	a.tries++
	return a.ask(Command{
		Operation: SetIfAbsent, Key: a.lock(), Value: a.token,
		Number: (a.play.choice.value("lock_ttl") + 999) / 1000,
	}, a.onLock)
}

func (a *attempt) lock() string { return a.counter + ":lock" }

// onLock goes on with the lock, or waits for it. A client that never gets it knows nothing of the counter; it rejects
// its request, which may try again as soon as it would have itself.
func (a *attempt) onLock(r Reply) clients.Move {
	if r.Kind != NilReply {
		a.finish = a.release
		return a.read()
	}
	p := a.play
	p.figures.LockWaits++
	spin, jitter := p.choice.value("spin"), p.choice.value("jitter")
	if a.tries >= p.choice.value("tries") {
		return done(limit.Decision{Verdict: limit.Rejected, RetryAfterUS: spin})
	}
	move := a.take()
	move.WaitUS = spin + p.random.Int64N(jitter+1)
	return move
}

// release lets go of the lock, if it is still a's.
func (a *attempt) release(d limit.Decision) clients.Move {
	command := Command{Operation: CompareAndDelete, Key: a.lock(), Value: a.token}
	return a.send(command, func(r Reply) clients.Move {
		if r.Integer == 0 {
			a.play.figures.LockLosses++
		}
		return done(d)
	})
}

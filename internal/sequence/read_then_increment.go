package sequence

import (
	"ratelab/internal/clients"
	"ratelab/internal/limit"
)

var readThenIncrement = Spec{
	Name:    "read-then-increment",
	Rule:    "GET; below the limit INCRBY, and PEXPIRE where that made the counter; else rejected",
	Danger:  "all that read before the first of them counts find the same room",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/"},
	begin:   (*attempt).read,
	decide:  (*attempt).read,
}

// read looks how much of the window is used.
func (a *attempt) read() clients.Move { return a.ask(Command{Operation: Get, Key: a.counter}, a.judge) }

// judge rejects what does not fit, and counts what does.
func (a *attempt) judge(r Reply) clients.Move {
	count, err := number(r.Text)
	if err != nil {
		panic(err) // nobody else writes to the counter
	}
	w, cost := a.play.window, a.request.Cost
	if count+cost > w.limit {
		return a.finish(w.reject(count, cost))
	}
	return a.ask(a.increment(), func(r Reply) clients.Move { return a.open(r.Integer, w.admit(r.Integer), w.windowMS) })
}

func (a *attempt) increment() Command {
	return Command{Operation: IncrementBy, Key: a.counter, Number: a.request.Cost}
}

// open gives the counter its end, ms from then on, where this request, which counted up to count, is the first of it.
func (a *attempt) open(count int64, d limit.Decision, ms int64) clients.Move {
	if count != a.request.Cost {
		return a.finish(d)
	}
	expire := Command{Operation: Expire, Key: a.counter, Number: ms}
	return a.send(expire, func(Reply) clients.Move { return a.finish(d) })
}

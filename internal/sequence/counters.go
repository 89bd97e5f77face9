package sequence

import (
	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// The sequences whose state is a counter.

var readThenIncrement = Sequence{
	Name:    "read-then-increment",
	Rule:    "GET; below the limit INCRBY, and PEXPIRE if INCRBY created the counter; else rejected",
	Danger:  "all clients that read before the first one counts see the same free tokens",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/"},
	decide:  (*attempt).read,
}

// read reads how much of the window is used, rejects a request that does not fit, and counts one that does.
func (a *attempt) read() clients.Move {
	return a.ask(get(a.counter), func(r resp.Value) clients.Move {
		used := number(r.Text)
		if used+a.request.Cost > a.limit {
			return a.finish(a.answer(false, used, a.limit))
		}
		return a.increment(func(count int64) clients.Move {
			return a.open(count, a.answer(true, count, a.limit), a.windowUS)
		})
	})
}

var distributedLock = Sequence{
	Name: "distributed-lock",
	Rule: "SET NX PX of a lock, retried while another client holds it; then as read-then-increment; then the client " +
		"deletes the lock if it still holds it",
	Danger:  "without the lock, a request is rejected unread; a lock that expires too early protects nothing",
	Sources: []string{"https://redis.io/docs/latest/develop/use/patterns/distributed-locks/"},
	Parameters: []algorithms.Parameter{
		{Name: "lock_ttl", Doc: "how long a lock lives", Kind: algorithms.Duration, Low: 1000, High: 3600e6,
			Default: "100ms"},
		{Name: "spin", Doc: "the wait before the lock is tried again", Kind: algorithms.Duration, Low: 1, High: 60e6,
			Default: "5ms"},
		{Name: "jitter", Doc: "an additional random wait, from 0 to this", Kind: algorithms.Duration, Low: 0,
			High: 60e6, Default: "5ms"},
		{Name: "tries", Doc: "the most attempts to take the lock", Kind: algorithms.Integer, Low: 1, High: 10_000,
			Default: "10"},
	},
	lock:   (*attempt).take,
	decide: (*attempt).read,
}

// take tries to take the lock, and tries again after a wait. A client that never gets the lock never reads the counter.
// It rejects its request, with the same wait as retry_after.
func (a *attempt) take() clients.Move {
	a.tries++
	lock := a.counter + ":lock"
	return a.ask(setIfAbsent(lock, a.token, upMS(a.value["lock_ttl"])), func(r resp.Value) clients.Move {
		if r.Kind != resp.Nil {
			a.finish = func(d limit.Decision) clients.Move { return a.release(lock, d) }
			return a.read()
		}
		a.figures.LockWaits++
		if a.tries >= a.value["tries"] {
			return done(limit.Decision{Verdict: limit.Rejected, RetryAfterUS: a.value["spin"]})
		}
		move := a.take()
		move.WaitUS = a.value["spin"] + a.random.Int64N(a.value["jitter"]+1)
		return move
	})
}

// release releases the lock, if a still holds it.
func (a *attempt) release(lock string, d limit.Decision) clients.Move {
	return a.send(compareAndDelete(lock, a.token), func(r resp.Value) clients.Move {
		if r.Int == 0 {
			a.figures.LockLosses++
		}
		return done(d)
	})
}

var incrThenCompare = Sequence{
	Name: "incr-then-compare",
	Rule: "INCRBY, and PEXPIRE if INCRBY created the counter; admitted if the counter is at most the limit",
	Danger: "rejected requests count as well; a client that dies between the two leaves a counter without a TTL, " +
		"which rejects everything forever once it reaches the limit",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/", "https://github.com/redis/redis/issues/4548"},
	Parameters: []algorithms.Parameter{
		{Name: "crash", Doc: "the share of requests whose client dies between INCRBY and PEXPIRE",
			Kind: algorithms.Percent, Default: "0%"},
		{Name: "reject", Doc: "when a counter rejects: over the limit, or the off-by-one `if count >= limit`",
			Kind: algorithms.OneOf, Words: []string{"over_limit", "at_limit"}, Default: "over_limit"},
	},
	prepare: (*attempt).mayDie,
	decide:  (*attempt).count,
}

// mayDie draws whether a's client dies. There is one draw per attempt, so that it depends only on the seed and the
// attempt's number. A client that dies at 1 % also dies at 2 %.
func (a *attempt) mayDie() { a.dies = a.crashes.Int64N(1_000_000) < a.value["crash"] }

// count increments first and compares afterwards. One command decides, so interleaving does not matter. But the window
// begins when PEXPIRE arrives, so it ends a round trip late.
func (a *attempt) count() clients.Move {
	return a.increment(func(count int64) clients.Move {
		if a.dies {
			return a.die()
		}
		return a.open(count, a.answer(count <= a.compares(), count, a.compares()), a.windowUS)
	})
}

// compares returns the highest count that is admitted: count >= L rejects the same as count > L − 1.
func (a *attempt) compares() int64 { return a.limit - a.value["reject"] }

// die ends an attempt without an answer. Nothing is sent after INCRBY, and the request counts as rejected, because it
// was not served. If it created the counter, the counter has no TTL: once it reaches the limit, it rejects all requests
// forever.
func (a *attempt) die() clients.Move {
	a.died = true
	a.figures.Crashes++
	return done(limit.Decision{Verdict: limit.Rejected, RetryAfterUS: limit.Never})
}

// notYet stands for a time that has not come yet.
const notYet = -1

// counted tracks the counters that dead clients leave. count is the reply to an INCRBY that arrived at atUS since the
// start.
func (a *attempt) counted(atUS, count int64) {
	if a.dies && count == a.request.Cost {
		a.orphans[a.counter] = notYet
	}
	if since, there := a.orphans[a.counter]; there && since == notYet && count > a.compares() {
		a.orphans[a.counter] = atUS
	}
}

// LockedOutUS returns the longest time for which a dead client's counter has rejected its key: from the first rejection
// to atUS. Both count from the start.
func (p *Play) LockedOutUS(atUS int64) int64 {
	var longest int64
	for _, since := range p.orphans {
		if since != notYet {
			longest = max(longest, atUS-since)
		}
	}
	return longest
}

var incrPerWindow = Sequence{
	Name: "incr-per-window",
	Rule: "INCRBY of the key followed by the window's number (the client's clock divided by the window), and " +
		"PEXPIRE if INCRBY created the counter and ttl is set; admitted if the counter is at most the limit",
	Danger: "without ttl, each window of each key leaves a counter forever, and they fill the memory; clients " +
		"whose clocks differ count in different windows",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/"},
	Parameters: []algorithms.Parameter{
		{Name: "ttl", Doc: "how long a counter lives; if shorter than the window, counts are lost",
			Kind: algorithms.Duration, Low: 1000, High: 24 * 3600e6, Default: "none"},
	},
	suffix: (*attempt).windowNumber,
	decide: (*attempt).countInWindow,
}

// windowNumber returns the suffix of a's counter: the number of the window by the client's clock when a begins.
func (a *attempt) windowNumber() string {
	return ":" + decimal((a.clientUS()-a.intoWindow())/a.windowUS)
}

// clientUS returns the client's clock when a begins, in µs since 1970.
func (a *attempt) clientUS() int64 { return a.startUS + a.request.AtUS + a.request.ClientSkewUS }

// intoWindow returns how long the client's window has lasted when a begins. It is never negative, even before 1970.
func (a *attempt) intoWindow() int64 { return (a.clientUS()%a.windowUS + a.windowUS) % a.windowUS }

// countInWindow increments first and compares afterwards. The client knows when the next window begins.
func (a *attempt) countInWindow() clients.Move {
	return a.increment(func(count int64) clients.Move {
		d := a.answer(count <= a.limit, count, a.limit)
		d.ResetAfterUS = a.windowUS - a.intoWindow()
		if d.RetryAfterUS > 0 {
			d.RetryAfterUS = d.ResetAfterUS
		}
		if a.value["ttl"] == 0 {
			return a.finish(d)
		}
		return a.open(count, d, a.value["ttl"])
	})
}

package sequence

import (
	"strconv"

	"ratelab/internal/clients"
)

var incrPerWindow = Spec{
	Name: "incr-per-window",
	Rule: "INCRBY of the key with the window's number behind it, the client's clock over the window's length, and " +
		"PEXPIRE where that made the counter and there is a ttl; admitted where the counter is at most the limit",
	Danger: "without a ttl every window of every key leaves a counter for ever, and they fill the memory; clients " +
		"whose clocks differ count in different windows",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/"},
	Parameters: []Parameter{
		{Name: "ttl", Doc: "how long a counter lives; shorter than the window it forgets what it counted",
			Form: Duration, Zero: "none", Low: 1000, High: 24 * 3600e6},
	},
	suffix: (*attempt).windowNumber,
	begin:  (*attempt).countInWindow,
	decide: (*attempt).countInWindow,
}

// windowNumber is the suffix of a's counter: with windows of 1 s the second, as the client's clock has it when it
// begins.
func (a *attempt) windowNumber() string {
	nowUS, windowUS := a.clientUS(), a.play.window.windowUS
	return ":" + strconv.FormatInt((nowUS-remainder(nowUS, windowUS))/windowUS, 10)
}

// clientUS is the client's clock when a begins, since 1970.
func (a *attempt) clientUS() int64 { return a.play.startUS + a.request.AtUS + a.request.ClientSkewUS }

// countInWindow counts first and asks afterwards. A client knows when the next window begins, and says so.
func (a *attempt) countInWindow() clients.Move {
	return a.ask(a.increment(), func(r Reply) clients.Move {
		w, cost := a.play.window, a.request.Cost
		leftUS := w.windowUS - remainder(a.clientUS(), w.windowUS)
		d := w.admit(r.Integer)
		if r.Integer > w.limit {
			d = w.reject(r.Integer, cost)
		}
		d.ResetAfterUS = leftUS
		if d.RetryAfterUS > 0 {
			d.RetryAfterUS = leftUS
		}
		ttlUS := a.play.choice.value("ttl")
		if ttlUS == 0 {
			return a.finish(d)
		}
		return a.open(r.Integer, d, (ttlUS+999)/1000)
	})
}

// remainder of a division that rounds down: 0 to divisor − 1, before 1970, too.
func remainder(n, divisor int64) int64 { return (n%divisor + divisor) % divisor }

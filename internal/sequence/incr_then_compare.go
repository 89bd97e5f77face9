package sequence

import "ratelab/internal/clients"

var incrThenCompare = Spec{
	Name: "incr-then-compare",
	Rule: "INCRBY, and PEXPIRE where that made the counter; admitted where the counter is at most the limit",
	Danger: "rejected requests count as well; a client that dies between the two leaves a counter without a TTL, " +
		"which from the limit on rejects everything for good",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/", "https://github.com/redis/redis/issues/4548"},
	Parameters: []Parameter{
		{Name: "crash", Doc: "the share of requests whose client dies between INCRBY and PEXPIRE", Form: Share,
			High: oneShare},
		{Name: "reject", Doc: "where a counter rejects: over the limit, or the off-by-one `if count >= limit`",
			Form: Word, Words: []string{"over_limit", "at_limit"}},
	},
	prepare: (*attempt).mayDie,
	begin:   (*attempt).count,
	decide:  (*attempt).count,
}

// count counts first and asks afterwards. One command decides, so that nothing comes between; but the window lasts
// from the arrival of PEXPIRE on, a round trip longer than it should.
func (a *attempt) count() clients.Move { return a.ask(a.increment(), a.compare) }

func (a *attempt) compare(r Reply) clients.Move {
	if a.dies {
		return a.die()
	}
	w := a.rule()
	d := w.admit(r.Integer)
	if r.Integer > w.limit {
		d = w.reject(r.Integer, a.request.Cost)
	}
	return a.open(r.Integer, d, w.windowMS)
}

// rule is the limit as a compares with it: count >= L is count > L − 1.
func (a *attempt) rule() window {
	w := a.play.window
	w.limit -= a.play.choice.value("reject")
	return w
}

package sequence

import "ratelab/internal/clients"

var incrThenCompare = Spec{
	Name:    "incr-then-compare",
	Rule:    "INCRBY, and PEXPIRE where that made the counter; admitted where the counter is at most the limit",
	Danger:  "rejected requests count as well; a client that dies between the two leaves a counter for ever",
	Sources: []string{"https://redis.io/docs/latest/commands/incr/"},
	begin:   (*attempt).count,
	decide:  (*attempt).count,
}

// count counts first and asks afterwards. One command decides, so that nothing comes between; but the window lasts
// from the arrival of PEXPIRE on, a round trip longer than it should.
func (a *attempt) count() clients.Move { return a.ask(a.increment(), a.compare) }

func (a *attempt) compare(r Reply) clients.Move {
	w, cost := a.play.window, a.request.Cost
	d := w.admit(r.Integer)
	if r.Integer > w.limit {
		d = w.reject(r.Integer, cost)
	}
	return a.open(r.Integer, d)
}

package clients

import "ratelab/internal/limit"

// Journal holds the decided requests, in the order in which the deciding messages reached the server. AtUS is that
// moment in true time, and never decreases; the skews are those of the clocks then. Attempts that neither server nor
// client has decided by the end are left out.
type Journal struct {
	Requests  []limit.Request
	Decisions []limit.Decision
	Unasked   []bool // decided by the client itself: the server was not asked
}

// ledger is a journal with places that are not decided yet, or never.
type ledger []struct {
	limit.Request
	limit.Decision
	unasked, decided bool
}

// open takes the next place for q.
func (l *ledger) open(q limit.Request, unasked bool) int {
	*l = append(*l, ledger{{Request: q, unasked: unasked}}...)
	return len(*l) - 1
}

func (l ledger) decide(place int, d limit.Decision) {
	l[place].Decision, l[place].decided = d, true
}

// journal is that of the places that were decided.
func (l ledger) journal() (j Journal) {
	for i := range l {
		if p := &l[i]; p.decided {
			j.Requests, j.Decisions = append(j.Requests, p.Request), append(j.Decisions, p.Decision)
			j.Unasked = append(j.Unasked, p.unasked)
		}
	}
	return j
}

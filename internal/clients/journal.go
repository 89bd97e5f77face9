package clients

import "ratelab/internal/limit"

// Journal holds the decided requests, in the order in which their deciding messages reached the server. AtUS is the
// true time of this arrival, and does not decrease. The skews are the errors of the clocks at AtUS. Attempts that are
// undecided at the end are left out.
type Journal struct {
	Requests  []limit.Request
	Decisions []limit.Decision
	Unasked   []bool // the client decided without the server
}

// ledger is a journal that also has undecided entries. Some of them are never decided.
type ledger []struct {
	limit.Request
	limit.Decision
	unasked, decided bool
}

// open appends an undecided entry for q and returns its index.
func (l *ledger) open(q limit.Request, unasked bool) int {
	*l = append(*l, ledger{{Request: q, unasked: unasked}}...)
	return len(*l) - 1
}

func (l ledger) decide(place int, d limit.Decision) {
	l[place].Decision, l[place].decided = d, true
}

// journal returns the decided entries.
func (l ledger) journal() (j Journal) {
	for i := range l {
		if p := &l[i]; p.decided {
			j.Requests, j.Decisions = append(j.Requests, p.Request), append(j.Decisions, p.Decision)
			j.Unasked = append(j.Unasked, p.unasked)
		}
	}
	return j
}

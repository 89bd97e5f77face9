package clients

import "ratelab/internal/limit"

// Journal is what was decided, in the order in which the server took the messages that decided it: AtUS is that time,
// in true time, and never decreases; the skews are the clocks' then. Attempts that were not decided by the end are
// not in it, but for those whose decision the server had given already.
type Journal struct {
	Requests  []limit.Request
	Decisions []limit.Decision
	Unasked   []bool // decided by the client itself: the server was not asked
}

// ledger is a journal with places that are not decided yet, and some that never will be.
type ledger struct {
	Journal
	decided []bool
}

// open takes the next place for q.
func (l *ledger) open(q limit.Request, unasked bool) int {
	l.Requests = append(l.Requests, q)
	l.Decisions = append(l.Decisions, limit.Decision{})
	l.Unasked = append(l.Unasked, unasked)
	l.decided = append(l.decided, false)
	return len(l.decided) - 1
}

func (l *ledger) decide(place int, d limit.Decision) {
	l.Decisions[place], l.decided[place] = d, true
}

// journal is that of the places that were decided.
func (l *ledger) journal() Journal {
	var j Journal
	for i, decided := range l.decided {
		if decided {
			j.Requests, j.Decisions = append(j.Requests, l.Requests[i]), append(j.Decisions, l.Decisions[i])
			j.Unasked = append(j.Unasked, l.Unasked[i])
		}
	}
	return j
}

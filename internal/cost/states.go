package cost

import (
	"slices"
	"time"

	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/script"
)

// decisions are how many are counted of a path at a time, unless time forbids it: as many as fit between two turns of
// the server's collector of garbage, see collect.
const decisions = 40

// How much of a history is played at the most, how long a log is filled at the most, and how many requests of a burst
// come to one key at the most.
const (
	mostHistory = 2_000
	mostEntries = 10_000
	mostBurst   = decisions
)

// patience is for how long after its instant a path's state is what it says, at the most: where the server's clock
// decides, all copies are asked by then. It is less than a tenth of a window, which some scripts part.
func patience(window time.Duration) time.Duration { return min(100*time.Millisecond, window/12) }

// path says how a state comes about, and what is asked in it.
type path struct {
	history []limit.Request // on one key; AtUS is relative to the path's instant
	costs   []int64         // of the requests that count, on one key
	keys    int             // so many copies of the key are asked, each with these costs
	oneKey  bool            // or all of that comes to one
	verdict limit.Verdict
	aheadUS int64         // in virtual time it is asked so much later: see rejected
	expired bool          // the instant is just after the key's TTL
	late    time.Duration // for so long the state is what it says
	missing string        // why there is no such path; "" where there is
}

// over is a path that is asked of fewer copies.
func (p path) over(keys int) path {
	if p.keys = keys; p.oneKey {
		p.costs, p.keys = slices.Repeat(p.costs, keys), 1
	}
	return p
}

// situation is what a path depends on.
type situation struct {
	*lineup.Entry
	clocked bool  // the server's clock decides, so that time cannot travel
	stepUS  int64 // of steady requests: a permit's interval, rounded up
}

func situationOf(e *lineup.Entry) situation {
	us, permits := e.Policy.Interval()
	return situation{Entry: e, clocked: readsServersClock(e.Program), stepUS: (us + permits - 1) / permits}
}

// readsServersClock reports whether a program goes by the server's TIME: it speaks of it, and nobody passes the time.
func readsServersClock(p *script.Program) bool {
	for _, a := range p.Decide.Args {
		if !a.Same(script.Vars{}, script.Vars{NowUS: 1_000_000}) {
			return false
		}
	}
	return namesTime(p.Source)
}

// path is that of a state.
func (s situation) path(state string) path {
	p := path{keys: decisions, verdict: limit.Allowed, costs: []int64{1}}
	if s.clocked {
		p.late = patience(s.Policy.Window)
		p.keys = int(min(decisions, max(1, p.late/perDecision)))
	}
	capacity := s.Policy.Capacity()
	switch state {
	case costresult.Steady:
		p.history = s.steady(s.stepUS, p.late)
	case costresult.Burst:
		n := int(min(capacity, mostBurst))
		p.costs, p.keys = slices.Repeat([]int64{1}, n), max(1, p.keys/n)
	case costresult.Rejected:
		s.rejected(&p, capacity)
	case costresult.Expired:
		p.history, p.expired = s.once(0, 1), true
	case costresult.Cost2:
		if p.missing = s.lacksCost(capacity, 2); p.missing == "" {
			p.history, p.costs[0] = s.steady(2*s.stepUS, p.late), 2
		}
	case costresult.CostB:
		if p.missing = s.lacksCost(capacity, 1); p.missing == "" {
			p.costs[0] = capacity
		}
	case costresult.FullLog:
		s.fullLog(&p)
	}
	return p
}

func (s situation) lacksCost(capacity, cost int64) string {
	switch {
	case !s.TakesCost():
		return "its call has no cost"
	case capacity < cost:
		return "the capacity is less"
	}
	return ""
}

// once is one request.
func (s situation) once(atUS, cost int64) []limit.Request {
	return []limit.Request{{AtUS: atUS, Key: template, Cost: cost}}
}

// steady are requests one permit's interval apart, the last of them lastUS before the instant: one and a half times the
// limit, so that windows are full and the instant lies in the middle of one that opens at a request. Those that would
// leave the window while copies are asked, late by the server's clock, are left out: one leaves, for the first and the
// last copy alike.
func (s situation) steady(lastUS int64, late time.Duration) []limit.Request {
	n := min(s.Policy.Requests+s.Policy.Requests/2, mostHistory)
	var all []limit.Request
	for i := range n {
		at := -lastUS - (n-1-i)*s.stepUS
		if left := -s.Policy.WindowUS(); at > left && at <= left+late.Microseconds() {
			continue
		}
		all = append(all, s.once(at, 1)...)
	}
	return all
}

// rejected takes the whole capacity at one instant. By the server's clock it lies ahead, so that no permit comes
// back while rejections are counted: to the script that clock has stepped back. What is more than a history may
// have is taken by one request.
func (s situation) rejected(p *path, capacity int64) {
	at, n := int64(0), min(capacity, mostHistory)
	if s.clocked {
		at = p.late.Microseconds()
	}
	p.aheadUS = at
	if rest := capacity - n; rest > 0 {
		if !s.TakesCost() {
			p.missing = "its call has no cost, and the capacity is too large for a history"
			return
		}
		p.history = s.once(at, rest)
	}
	for range n {
		p.history = append(p.history, s.once(at, 1)...)
	}
	p.oneKey, p.verdict = true, limit.Rejected
}

// fullLog has one entry that leaves at the instant and the others in the second half of the window, by µs; what keeps
// milliseconds tells them apart where there are few.
func (s situation) fullLog(p *path) {
	n, window := s.Policy.Requests, s.Policy.WindowUS()
	if n > mostEntries {
		p.missing = "a log of so many entries is not built"
		return
	}
	p.history = s.once(-window, 1)
	apart := max(1, min(1000, window/2/n))
	for i := range n - 1 {
		p.history = append(p.history, s.once(-window/2+i*apart/2, 1)...)
	}
}

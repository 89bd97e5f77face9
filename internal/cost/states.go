package cost

import (
	"time"

	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/script"
)

// decisions are how many are counted of a path, unless time forbids it. A hundred repeat within 0.1 %: the server works
// off its Lua's garbage every fifty calls.
const decisions = 100

// How much of a history is played at the most, how long a log is filled at the most, and how many requests of a burst
// come to one key at the most.
const (
	mostHistory = 2_000
	mostEntries = 10_000
	mostBurst   = 50
)

// patience is for how long after its instant a path's state is what it says.
const patience = 250 * time.Millisecond

// streamed is the longest interval of a permit for which steady requests come to one key one after the other, on the
// wall clock, where that decides: copies of one state would be too old before all of them are asked.
const streamed = 10 * time.Millisecond

// asked is one request that counts: when, after the path's instant, and of what cost.
type asked struct{ afterUS, cost int64 }

func (a asked) after() time.Duration { return time.Duration(a.afterUS) * time.Microsecond }

// path says how a state comes about, and what is asked in it.
type path struct {
	history []limit.Request // on one key; AtUS is relative to the path's instant
	asks    []asked         // on one key
	keys    int             // so many copies of the key are asked
	verdict limit.Verdict
	paced   bool          // the requests of a key are asked when they are due, on the wall clock
	aheadUS int64         // in virtual time it is asked so much later: see rejected
	expired bool          // the instant is just after the key's TTL
	late    time.Duration // for so long the state is what it says
	missing string        // why there is no such path; "" where there is
}

// situation is what a path depends on.
type situation struct {
	*lineup.Entry
	clocked bool  // the server's clock decides, so that time cannot travel
	stepUS  int64 // of steady requests: a permit's interval, rounded up
	stream  bool
}

func situationOf(e *lineup.Entry) situation {
	us, permits := e.Policy.Interval()
	s := situation{Entry: e, clocked: readsServersClock(e.Program), stepUS: (us + permits - 1) / permits}
	if step := time.Duration(s.stepUS) * time.Microsecond; s.clocked && step <= streamed {
		// So a request that is half a permit's interval late, or follows one that was, still finds one permit come back.
		s.stream, s.stepUS = true, s.stepUS+s.stepUS/2
	}
	return s
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

// takesCost reports whether a request's cost reaches the script.
func (s situation) takesCost() bool {
	for _, a := range s.Program.Decide.Args {
		if !a.Same(script.Vars{Cost: 1}, script.Vars{Cost: 2}) {
			return true
		}
	}
	return false
}

// path is that of a state.
func (s situation) path(state string) path {
	p := path{keys: decisions, verdict: limit.Allowed, asks: []asked{{cost: 1}}}
	if s.clocked {
		p.late = patience
	}
	capacity := s.Policy.Capacity()
	switch state {
	case costresult.Steady:
		p.history = s.steady(s.stepUS)
		s.pace(&p, 1)
	case costresult.Burst:
		n := int(min(capacity, mostBurst))
		p.asks, p.keys = make([]asked, n), (decisions+n-1)/n
		for i := range p.asks {
			p.asks[i].cost = 1
		}
	case costresult.Rejected:
		s.rejected(&p, capacity)
	case costresult.Expired:
		p.history, p.expired = s.once(0, 1), true
	case costresult.Cost2:
		if p.missing = s.lacksCost(capacity, 2); p.missing == "" {
			p.history = s.steady(2 * s.stepUS)
			s.pace(&p, 2)
		}
	case costresult.CostB:
		if p.missing = s.lacksCost(capacity, 1); p.missing == "" {
			p.asks[0].cost = capacity
		}
	case costresult.FullLog:
		s.fullLog(&p)
	}
	return p
}

func (s situation) lacksCost(capacity, cost int64) string {
	switch {
	case !s.takesCost():
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
// limit, so that windows are full and the instant lies in the middle of one that opens at a request.
func (s situation) steady(lastUS int64) []limit.Request {
	n := min(s.Policy.Requests+s.Policy.Requests/2, mostHistory)
	all := make([]limit.Request, n)
	for i := range all {
		all[i] = limit.Request{AtUS: -lastUS - (n-1-int64(i))*s.stepUS, Key: template, Cost: 1}
	}
	return all
}

// pace has what is steady asked in time: by one key after the other, or as a stream to one key, for a quarter of the
// window at the most.
func (s situation) pace(p *path, cost int64) {
	p.asks[0].cost = cost
	if !s.clocked {
		return
	}
	p.late = min(patience, time.Duration(s.stepUS)*time.Microsecond*9/10)
	if !s.stream {
		p.keys = int(min(decisions, max(1, p.late/perDecision)))
		return
	}
	p.late /= 3
	p.keys, p.paced = 1, true
	n := min(decisions, max(1, s.Policy.WindowUS()/4/(s.stepUS*cost)))
	p.asks = make([]asked, n)
	for i := range p.asks {
		p.asks[i] = asked{int64(i) * s.stepUS * cost, cost}
	}
}

// rejected takes the whole capacity at one instant. By the server's clock it lies ahead, so that no permit comes back
// while rejections are counted: to the script that clock has stepped back. What is more than a history may have is taken
// by one request.
func (s situation) rejected(p *path, capacity int64) {
	at, n := int64(0), min(capacity, mostHistory)
	if s.clocked {
		at = patience.Microseconds()
	}
	p.aheadUS = at
	if rest := capacity - n; rest > 0 {
		if !s.takesCost() {
			p.missing = "its call has no cost, and the capacity is too large for a history"
			return
		}
		p.history = s.once(at, rest)
	}
	for range n {
		p.history = append(p.history, s.once(at, 1)...)
	}
	p.asks, p.keys, p.verdict = make([]asked, decisions), 1, limit.Rejected
	for i := range p.asks {
		p.asks[i].cost = 1
	}
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

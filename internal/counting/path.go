package counting

import (
	"regexp"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/script"
)

// The states of a key in which a decision is counted.
const (
	StateFirst    = "first"    // of a new key
	StateSteady   = "steady"   // one request for each permit's interval, W/L
	StateBurst    = "burst"    // requests at one instant on a new key, its first included
	StateRejected = "rejected" // the capacity is taken
	StateCostB    = "cost B"   // the whole capacity at once, of a new key
	StateFullLog  = "full log" // L requests in the last window, of which the oldest has just left
	StateChanged  = "changed"  // the limit has just been halved, and a part of it is used
)

// States are all of them, in the order in which they are shown.
func States() []string {
	return []string{StateFirst, StateSteady, StateBurst, StateRejected, StateCostB, StateFullLog, StateChanged}
}

// decisions are how many are counted of a path at a time, unless time forbids it: as many as fit between two turns of
// the server's collector of garbage, see collect.
const decisions = 40

// How much of a history is played at the most, and how long a log is filled at the most.
const (
	mostHistory = 2_000
	mostEntries = 10_000
)

// template is the key whose state is made; a copy has another number.
const template = "p00000"

// path says how a state comes about for one limiter, what is asked in it, and what was counted.
type path struct {
	*limiter.Limiter
	clocked bool             // the server's clock decides, so that time cannot travel
	before  *limiter.Limiter // what decides the history; nil: the limiter itself

	history []limit.Request // on one key; AtUS is relative to the path's instant
	costs   []int64         // of the requests that count, on one key
	keys    int             // so many copies of the key are asked, each with these costs
	oneKey  bool            // or all of that comes to one
	verdict limit.Verdict
	aheadUS int64         // in virtual time it is asked so much later: see rejected
	late    time.Duration // for so long the state is what it says

	found  *scene
	counts []float64 // of instructions, one of each round
	Figures
}

var timeCommand = regexp.MustCompile(`(?i)['"]TIME['"]`)

// readsServersClock reports whether a program goes by the server's TIME: it speaks of it, and nobody passes the time.
func readsServersClock(p *script.Program) bool {
	told := slices.ContainsFunc(p.Decide.Args, func(a script.Template) bool {
		return !a.Same(script.Vars{}, script.Vars{NowUS: 1_000_000})
	})
	return !told && timeCommand.MatchString(p.Source)
}

// pathOf is a limiter's path in a state. changed is the limiter before its limit was changed; nil: it has no such path.
func pathOf(e, changed *limiter.Limiter, state string) *path {
	p := &path{Limiter: e, clocked: readsServersClock(e.Program), keys: decisions, verdict: limit.Allowed,
		costs: []int64{1}}
	if p.clocked {
		p.late = min(100*time.Millisecond, p.Policy.Window/12) // less than a tenth of it: some scripts part windows
		p.keys = int(min(decisions, max(1, p.late/perDecision)))
	}
	capacity := p.Policy.Capacity()
	switch state {
	case StateSteady:
		p.steady()
	case StateBurst:
		n := int(min(capacity, decisions))
		p.costs, p.keys = slices.Repeat([]int64{1}, n), max(1, p.keys/n)
	case StateRejected:
		p.rejected(capacity)
	case StateCostB:
		if p.costs[0] = capacity; !p.Program.TakesCost() {
			p.Missing = "its call has no cost"
		}
	case StateFullLog:
		p.fullLog()
	case StateChanged:
		if p.before = changed; changed == nil || !changed.Program.Changing(e.Program, 0, 0).Changes() {
			p.Missing = "its call does not have the limit"
		}
		for range max(1, capacity/4) {
			p.history = append(p.history, once(-p.Policy.WindowUS()/100, 1))
		}
		p.history = p.history[:min(len(p.history), mostHistory)]
	}
	return p
}

// once is one request.
func once(atUS, cost int64) limit.Request {
	return limit.Request{AtUS: atUS, Key: template, Cost: cost}
}

// steady are requests one permit's interval apart, the last of them an interval before the instant: one and a half
// times the limit, so that windows are full and the instant lies in the middle of one that opens at a request. Those
// that would leave the window while copies are asked, late by the server's clock, are left out: one leaves, for the
// first and the last copy alike.
func (p *path) steady() {
	us, permits := p.Policy.Interval()
	stepUS := (us + permits - 1) / permits
	n := min(p.Policy.Requests+p.Policy.Requests/2, mostHistory)
	for i := range n {
		at := -(n - i) * stepUS
		if left := -p.Policy.WindowUS(); at <= left || at > left+p.late.Microseconds() {
			p.history = append(p.history, once(at, 1))
		}
	}
}

// rejected takes the whole capacity at one instant. By the server's clock it lies ahead, so that no permit comes
// back while rejections are counted: to the script that clock has stepped back. What is more than a history may
// have is taken by one request.
func (p *path) rejected(capacity int64) {
	p.aheadUS = p.late.Microseconds() // 0 where the server's clock does not decide
	n := min(capacity, mostHistory)
	if rest := capacity - n; rest > 0 {
		if !p.Program.TakesCost() {
			p.Missing = "its call has no cost, and the capacity is too large for a history"
			return
		}
		p.history = append(p.history, once(p.aheadUS, rest))
	}
	for range n {
		p.history = append(p.history, once(p.aheadUS, 1))
	}
	p.oneKey, p.verdict = true, limit.Rejected
}

// fullLog has one request that leaves at the instant and the others in the second half of the window, by µs; what keeps
// milliseconds tells them apart where there are few.
func (p *path) fullLog() {
	n, window := p.Policy.Requests, p.Policy.WindowUS()
	if n > mostEntries {
		p.Missing = "a log of so many entries is not built"
		return
	}
	p.history = []limit.Request{once(-window, 1)}
	apart := max(1, min(1000, window/2/n))
	for i := range n - 1 {
		p.history = append(p.history, once(-window/2+i*apart/2, 1))
	}
}

// youngMS is how much of the server's second has passed at an instant: steady requests of ten a second, and a burst
// of ten but for one, lie within it.
const youngMS = 305

// instant is the first at which a path may be, not before a time: all its requests lie within a tenth of a window
// on the clock. Where the server's clock decides, its second is young, so that they, and a burst at 10/1s but for
// one, lie within that, too: some scripts go by whole seconds.
func (p *path) instant(earliest time.Time) time.Time {
	part := p.Policy.WindowUS() / 10
	for at := earliest.Truncate(time.Millisecond); ; at = at.Add(time.Millisecond) {
		young := !p.clocked || at.UnixMilli()%1000 == youngMS
		if young && (part == 0 || at.UnixMicro()%part+p.late.Microseconds() <= part) {
			return at
		}
	}
}

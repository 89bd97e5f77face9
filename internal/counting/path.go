package counting

import (
	"regexp"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/script"
)

// The states of a key in which decisions are counted.
const (
	StateFirst    = "first"    // the first request of a new key
	StateSteady   = "steady"   // one request per token interval W/L
	StateBurst    = "burst"    // several requests at one instant on a new key, including the first
	StateRejected = "rejected" // the capacity is used up
	StateCostB    = "cost B"   // one request for the whole capacity, on a new key
	StateFullLog  = "full log" // L requests in the last window; the oldest has just left the window
	StateChanged  = "changed"  // the limit has just been halved, and a part of it was already used
)

// States returns all states, in the order of the output.
func States() []string {
	return []string{StateFirst, StateSteady, StateBurst, StateRejected, StateCostB, StateFullLog, StateChanged}
}

// decisions is the number of decisions per count, if there is enough time. They must fit between two runs of the
// server's garbage collector: see collect.
const decisions = 40

// mostHistory is the most requests of a history. mostEntries is the most entries of a log.
const (
	mostHistory = 2_000
	mostEntries = 10_000
)

// template is the key whose state is produced and copied. The copies have other numbers.
const template = "p00000"

// path describes how to produce a state for one limiter, and the requests that are counted in it. It also has the
// counts.
type path struct {
	*limiter.Limiter
	clocked bool             // the script reads the server's clock, so the requests cannot be moved in time
	before  *limiter.Limiter // the limiter that decides the history; nil: the limiter itself

	history []limit.Request // on one key; AtUS is relative to the path's instant
	costs   []int64         // costs of the counted requests, on one key
	keys    int             // number of copies of the key; each copy gets requests with these costs
	oneKey  bool            // the requests of all copies go to one key instead
	verdict limit.Verdict
	aheadUS int64         // the requests come this much after the path's instant in virtual time: see rejected
	late    time.Duration // how long the state remains valid

	found  *scene
	counts []float64 // instructions of each round
	Figures
}

var timeCommand = regexp.MustCompile(`(?i)['"]TIME['"]`)

// readsServersClock reports whether a program depends on the server's TIME: its source contains TIME, and no element of
// ARGV has the client's time.
func readsServersClock(p *script.Program) bool {
	told := slices.ContainsFunc(p.Decide.Args, func(a script.Template) bool {
		return !a.Same(script.Vars{}, script.Vars{NowUS: 1_000_000})
	})
	return !told && timeCommand.MatchString(p.Source)
}

// pathOf returns the path of a limiter in a state. changed is the limiter before the change of its limit, or nil if the
// limiter has no such path.
func pathOf(e, changed *limiter.Limiter, state string) *path {
	p := &path{Limiter: e, clocked: readsServersClock(e.Program), keys: decisions, verdict: limit.Allowed,
		costs: []int64{1}}
	if p.clocked {
		p.late = min(100*time.Millisecond, p.Policy.Window/12) // less than a tenth, because some scripts divide windows
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

// once returns one request for the template.
func once(atUS, cost int64) limit.Request {
	return limit.Request{AtUS: atUS, Key: template, Cost: cost}
}

// steady makes requests at intervals of one token, until one interval before the instant. There are one and a half
// times as many requests as the limit allows per window. So the windows are full, and the instant lies in the middle of
// a window that opens at a request. A count takes time on the server's clock. steady leaves out requests that would
// leave the window in this time. So exactly one request leaves the window, for the first copy and the last copy.
func (p *path) steady() {
	us, tokens := p.Policy.Interval()
	stepUS := (us + tokens - 1) / tokens
	n := min(p.Policy.Requests+p.Policy.Requests/2, mostHistory)
	for i := range n {
		at := -(n - i) * stepUS
		if left := -p.Policy.WindowUS(); at <= left || at > left+p.late.Microseconds() {
			p.history = append(p.history, once(at, 1))
		}
	}
}

// rejected uses up the whole capacity at one instant. For a script that reads the server's clock, this instant is in
// the future. For the script, the clock then has stepped back, and no tokens come back while rejections are counted. If
// the capacity exceeds mostHistory, one request takes the rest.
func (p *path) rejected(capacity int64) {
	p.aheadUS = p.late.Microseconds() // 0 unless the script reads the server's clock
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

// fullLog makes one request that leaves the window at the instant. The other requests are in the second half of the
// window, at different times in µs. If there are few requests, they are half a millisecond apart, for scripts that
// store milliseconds.
func (p *path) fullLog() {
	n, window := p.Policy.Requests, p.Policy.WindowUS()
	if n > mostEntries {
		p.Missing = "the log would have more than 10,000 entries"
		return
	}
	p.history = []limit.Request{once(-window, 1)}
	apart := max(1, min(1000, window/2/n))
	for i := range n - 1 {
		p.history = append(p.history, once(-window/2+i*apart/2, 1))
	}
}

// youngMS is the place of an instant within a second of the server's clock, in ms. Steady requests at ten per second,
// and a burst of nine at 10/1s, fit into this time.
const youngMS = 305

// instant returns the first possible instant of a path that is not before earliest. All requests must lie within one
// tenth of a window on the clock. If the script reads the server's clock, the instant must also be youngMS after the
// beginning of a second. Some scripts count by whole seconds, and the requests must lie in the same second.
func (p *path) instant(earliest time.Time) time.Time {
	part := p.Policy.WindowUS() / 10
	for at := earliest.Truncate(time.Millisecond); ; at = at.Add(time.Millisecond) {
		young := !p.clocked || at.UnixMilli()%1000 == youngMS
		if young && (part == 0 || at.UnixMicro()%part+p.late.Microseconds() <= part) {
			return at
		}
	}
}

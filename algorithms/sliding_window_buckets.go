package algorithms

import (
	"slices"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:   "sliding-window-buckets",
	Family: "window",
	Colour: "#114499", // deep blue
	State:  "a hash of n + 1 counters, one for each aligned sub-window, and what grid they lie on",
	Rule:   "the sum of the sub-windows that touch (t − W, t] stays at most L",
	Bound:  "N(τ) ≤ L for every τ < W; stricter than the log, by up to one sub-window W/n",
	Sources: []string{
		"https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/",
	},
	Parameters: withClock("server",
		Parameter{Name: "subwindows", Kind: Integer, Low: 1, High: maxSubwindows, Default: "10",
			Doc: "n, how many parts a window is split into", Role: Parts}),
	Traits: Traits{Grid: true},
	Prepare: func(p limit.Policy, v Values) (Limiter, error) {
		c := v.clock("server")
		n := v.Integer("subwindows", 10)
		if err := exactProduct("window_us * subwindows", p.WindowUS(), n, 0, "choose fewer sub-windows"); err != nil {
			return Limiter{}, err
		}
		return c.limiter(decimal(p.Requests, p.WindowUS(), n), covering(p.Requests, p.WindowUS()),
			newModel[subwindows](c, &slidingBuckets{p.Requests, grid{p.WindowUS(), n}})), nil
	},
})

// maxSubwindows keeps a script's HGETALL short, and a sub-window of the shortest window at a whole µs.
const maxSubwindows = 1000

// slidingBuckets has a list of counters for each key.
type slidingBuckets struct {
	limit int64
	grid
}

// grid is where sub-windows lie: n of them in each window.
type grid struct{ windowUS, n int64 }

// subwindows are one key's counters on a grid, by rising number.
type subwindows struct {
	life
	grid
	counters []subwindow
}

type subwindow struct{ number, count int64 }

func (b *subwindows) reset() { *b = subwindows{counters: b.counters[:0]} }

func (b *subwindows) clone() subwindows { return subwindows{b.life, b.grid, slices.Clone(b.counters)} }

// number is that of the sub-window around atUS; n of them make a window.
func (g grid) number(atUS int64) int64 {
	window := floorDiv(atUS, g.windowUS)
	return window*g.n + (atUS-window*g.windowUS)*g.n/g.windowUS
}

// gone is when sub-window number leaves: when the one n + 1 later begins.
func (g grid) gone(number int64) int64 {
	number += g.n + 1
	window := floorDiv(number, g.n)
	return window*g.windowUS + ceilDiv((number-window*g.n)*g.windowUS, g.n)
}

// decide adds up the sub-windows that touch the last window.
func (s *slidingBuckets) decide(at *moment, b *subwindows, cost int64) limit.Decision {
	nowUS := at.nowUS
	g := b.grid // of the sub-windows that are there; another one after a change of the parameters
	if g == (grid{}) {
		g = s.grid
	}
	live := b.since(g.number(nowUS) - g.n)
	var held int64
	for _, c := range live {
		held += c.count
	}
	if held+cost <= s.limit {
		counted := cost
		if g != s.grid {
			live, counted = nil, held+cost
		}
		b.grid = s.grid
		newest, isNew := b.add(live, s.number(nowUS), counted)
		resetUS := s.gone(newest) - nowUS
		if isNew {
			b.lastMS = at.afterUS(resetUS)
		}
		return limit.Decision{Verdict: limit.Allowed, Remaining: s.limit - held - cost, ResetAfterUS: resetUS}
	}
	d := limit.Decision{Remaining: max(0, s.limit-held), RetryAfterUS: limit.Never}
	if len(live) > 0 {
		d.ResetAfterUS = g.gone(live[len(live)-1].number) - nowUS
	}
	if cost <= s.limit {
		d.RetryAfterUS = g.gone(lastToLeave(live, held+cost-s.limit)) - nowUS
	}
	return d
}

// since gives the counters from number on.
func (b *subwindows) since(number int64) []subwindow {
	live := b.counters
	for len(live) > 0 && live[0].number < number {
		live = live[1:]
	}
	return live
}

// add keeps live only, and counts cost in the newest of them and number; it gives that one's number, and whether it is
// a new one.
func (b *subwindows) add(live []subwindow, number, cost int64) (newest int64, isNew bool) {
	n := copy(b.counters, live)
	b.counters = b.counters[:n]
	if n == 0 || b.counters[n-1].number < number {
		b.counters = append(b.counters, subwindow{number: number})
		n++
		isNew = true
	}
	b.counters[n-1].count += cost
	return b.counters[n-1].number, isNew
}

// lastToLeave is the number of the first sub-window with which at least surplus has left.
func lastToLeave(live []subwindow, surplus int64) int64 {
	i := 0
	for surplus -= live[0].count; surplus > 0; surplus -= live[i].count {
		i++
	}
	return live[i].number
}

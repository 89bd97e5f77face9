package algorithms

import (
	"slices"
	"sort"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:       "sliding-window-log",
	Family:     "log",
	Place:      5,
	Short:      "\nlog",
	InWords:    "a sliding window by a log",
	Colour:     "#0072b2", // blue
	State:      "the admitted requests of one window: their times and a running count",
	Rule:       "the cost admitted in (t − W, t] stays at most L, exactly",
	Bound:      "N(τ) ≤ L for every τ < W",
	Sources:    []string{"https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/"},
	Parameters: withClock(),
	Traits: Traits{ExactFor: []limit.Contract{limit.ByWindow}, Usual: []limit.Contract{limit.ByBucket},
		Entries: true},
	Prepare: onWindow(covering, func(requests, windowUS int64) rule[admissions] {
		return &slidingLog{requests, windowUS}
	}),
})

// slidingLog has a list of the admitted requests of each key.
type slidingLog struct{ limit, windowUS int64 }

// admissions are one key's admitted requests in the order of their times, each with the total cost up to it. The first
// gone entries of the list left the window before the last admission.
type admissions struct {
	life
	list []admission
	gone int
}

type admission struct{ atUS, total int64 }

func (g *admissions) unshare() { g.list = slices.Clone(g.list) }

// before returns the total cost of the requests before the i-th.
func (g *admissions) before(i int) int64 {
	if i == 0 {
		return 0
	}
	return g.list[i-1].total
}

// leaving returns the index of the first request after horizonUS.
func (g *admissions) leaving(horizonUS int64) int {
	return g.gone + sort.Search(len(g.list)-g.gone, func(i int) bool { return g.list[g.gone+i].atUS > horizonUS })
}

// decide adds up the cost admitted in the last window.
func (s *slidingLog) decide(at *moment, g *admissions, cost int64) limit.Decision {
	if n := len(g.list); n > 0 && g.list[n-1].atUS > at.nowUS+at.clock.marginUS() {
		g.list = append(g.list[:g.leaving(at.nowUS)], admission{at.nowUS, g.list[n-1].total})
	}
	first, n := g.leaving(at.nowUS-s.windowUS), len(g.list)
	held := g.before(n) - g.before(first)
	if held+cost <= s.limit {
		resetUS := g.admit(first, at.nowUS, cost) + s.windowUS - at.nowUS
		g.lastMS = at.afterUS(resetUS)
		return limit.Decision{Verdict: limit.Allowed, Remaining: s.limit - held - cost, ResetAfterUS: resetUS}
	}
	d := limit.Decision{Remaining: max(0, s.limit-held), RetryAfterUS: limit.Never}
	if first < n {
		d.ResetAfterUS = g.list[n-1].atUS + s.windowUS - at.nowUS
	}
	if cost <= s.limit {
		surplus := g.before(first) + held + cost - s.limit
		i := first + sort.Search(n-first, func(i int) bool { return g.list[first+i].total >= surplus })
		d.RetryAfterUS = g.list[i].atUS + s.windowUS - at.nowUS
	}
	return d
}

// admit drops the requests before first, appends a request, and returns its stored time. If a client's clock is behind,
// the stored time is the time of the last request.
func (g *admissions) admit(first int, nowUS, cost int64) (atUS int64) {
	g.gone = first
	if 2*g.gone >= len(g.list) && g.gone > 0 {
		g.compact()
	}
	if n := len(g.list); n > 0 {
		nowUS = max(nowUS, g.list[n-1].atUS)
	}
	g.list = append(g.list, admission{nowUS, g.before(len(g.list)) + cost})
	return nowUS
}

// compact moves the list to its front, so that the list is at most twice as long as the log.
func (g *admissions) compact() {
	base := g.before(g.gone)
	n := copy(g.list, g.list[g.gone:])
	g.list, g.gone = g.list[:n], 0
	for i := range g.list {
		g.list[i].total -= base
	}
}

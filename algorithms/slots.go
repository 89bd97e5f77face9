package algorithms

import (
	"fmt"
	"maps"
	"slices"

	"ratelab/internal/limit"
)

// leases and slotCounter are the algorithms for a limit on requests in flight.
var (
	leases = Algorithm{Name: "leases", Family: "slots", Colour: "#009e73", // bluish green
		State: "a sorted set of the holders, by the end of each lease",
		Rule:  "a request is admitted if fewer than N leases are held; a lease ends with its request, or after ttl",
		Bound: "none if requests run longer than ttl without renewal", Sources: slotSources,
		Parameters: []Parameter{
			{Name: "ttl", Kind: Duration, Low: 1000, High: limit.MaxWindow.Microseconds(), Default: "1m",
				Doc: "how long a lease lasts"},
			{Name: "renew", Kind: Duration, Low: 1000, High: limit.MaxWindow.Microseconds(), Default: "never",
				Doc: "how often a holder renews its lease"},
		}}
	slotCounter = Algorithm{Name: "slot-counter", Family: "slots", Colour: "#d55e00", // vermillion
		State: "the number of requests in flight",
		Rule:  "a request is admitted if the counter is below N; an end lowers it; it expires ttl after the last start",
		Bound: "none if it expires while requests run", Sources: slotSources,
		Parameters: []Parameter{{Name: "ttl", Kind: Duration, Low: 1000, High: limit.MaxWindow.Microseconds(),
			Default: "never", Doc: "how long after the last start the counter expires"}}}
	slotSources = []string{"https://redis.io/docs/latest/commands/incr/"}
)

// special are the algorithms that have rows only where requests end.
var special = map[string]*Algorithm{logTokens: &tokenLogs, leases.Name: &leases, slotCounter.Name: &slotCounter}

// OfEnds returns the algorithms that have rows only where requests end, by name.
func OfEnds() (all []Algorithm) {
	for _, name := range slices.Sorted(maps.Keys(special)) {
		all = append(all, *special[name])
	}
	return all
}

// isSpecial reports whether the algorithm has rows only where requests end.
func (s *Algorithm) isSpecial() bool { return special[s.Name] == s }

// needs says what a special algorithm needs.
func (s *Algorithm) needs() string {
	if s == &tokenLogs {
		return "needs requests whose cost is known at their end (actual: or --trace-actual)"
	}
	return "needs a limit on requests in flight, such as 24/in_flight"
}

// Slots is an algorithm for a limit on requests in flight.
type Slots struct {
	Name       string // of its script in lua
	Parameters map[string]string
	RenewUS    int64 // how often a holder renews; 0: never
	HasID      bool  // its calls have the request's id
	Args       []string
	NewTracker func() limit.Tracker
}

// SlotRows returns the rows of every run with a limit on requests in flight.
func SlotRows() (all []Choice) {
	for _, label := range []string{"leases", "leases:ttl=1m:renew=20s", "slot-counter", "slot-counter:ttl=1m"} {
		if c, err := Parse(label); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// SlotsUnder returns c's algorithm for a limit on requests in flight. An error names what does not fit.
func (c Choice) SlotsUnder(p limit.Policy) (*Slots, error) {
	v := c.values()
	s := &Slots{Name: c.Algorithm.Name, Parameters: v.resolved}
	for _, name := range slices.Sorted(maps.Keys(c.set)) {
		if find(c.Algorithm.Parameters, name) == nil {
			return nil, fmt.Errorf("%s: %s= does not go with a limit on requests in flight", c.Label, name)
		}
	}
	switch c.Algorithm {
	case &leases:
		ttl := v.DurationUS("ttl", 60_000_000)
		if v.isSet("renew") {
			s.RenewUS = v.DurationUS("renew", 0)
		}
		if s.RenewUS >= ttl {
			return nil, fmt.Errorf("%s: renew is not shorter than ttl, so the lease ends before it is renewed", c.Label)
		}
		s.HasID, s.Args = true, decimal(p.Requests, ttl)
		s.NewTracker = func() limit.Tracker {
			return &leasing{p.Requests, ttl, tokensOf[holders, *holders]{newStore[holders](clock{})}}
		}
	case &slotCounter:
		ttl := int64(0)
		if v.isSet("ttl") {
			ttl = v.DurationUS("ttl", 0)
		}
		s.Args = decimal(p.Requests, ttl)
		s.NewTracker = func() limit.Tracker {
			return &slotCounting{p.Requests, ttl, tokensOf[slotCount, *slotCount]{newStore[slotCount](clock{})}}
		}
	default:
		return nil, fmt.Errorf("%s: counts a window, and the limit is on requests in flight; want leases or "+
			"slot-counter", c.Label)
	}
	return s, nil
}

// leasing is the model of leases.
type leasing struct {
	most, ttlUS int64
	tokensOf[holders, *holders]
}

// holders are the leases of one key, in the order of their ends.
type holders struct {
	life
	all []lease
}

type lease struct{ endUS, number int64 }

func (h *holders) unshare() { h.all = slices.Clone(h.all) }

func (l *leasing) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return l.Start(serverUS, clientUS, key, cost, -1)
}

func (l *leasing) Fork(key string) limit.Model {
	return &leasing{l.most, l.ttlUS, tokensOf[holders, *holders]{l.store.fork(key)}}
}

// held returns the holders at a time, without leases that are over.
func (l *leasing) held(serverUS int64, key string) (*moment, *holders) {
	at, h := l.at(serverUS, key)
	over := 0
	for over < len(h.all) && h.all[over].endUS <= at.nowUS {
		over++
	}
	h.all = slices.Delete(h.all, 0, over)
	return at, h
}

// hold adds a lease, which ends after all others.
func (l *leasing) hold(at *moment, h *holders, number int64) {
	h.all = append(h.all, lease{at.nowUS + l.ttlUS, number})
	h.lastMS = at.afterUS(l.ttlUS)
}

func (l *leasing) Start(serverUS, _ int64, key string, _, number int64) limit.Decision {
	at, h := l.held(serverUS, key)
	used := int64(len(h.all))
	if used < l.most {
		l.hold(at, h, number)
		return limit.Decision{Verdict: limit.Allowed, Remaining: l.most - used - 1, ResetAfterUS: l.ttlUS}
	}
	return limit.Decision{RetryAfterUS: h.all[0].endUS - at.nowUS, ResetAfterUS: h.all[used-1].endUS - at.nowUS}
}

func (l *leasing) End(serverUS, _ int64, key string, e limit.Ending) bool {
	at, h := l.held(serverUS, key)
	i := slices.IndexFunc(h.all, func(o lease) bool { return o.number == e.Number })
	if i < 0 {
		return false
	}
	h.all = slices.Delete(h.all, i, i+1)
	if e.Renewal > 0 {
		l.hold(at, h, e.Number)
	}
	return true
}

// slotCounting is the model of slot-counter.
type slotCounting struct {
	most, ttlUS int64
	tokensOf[slotCount, *slotCount]
}

type slotCount struct {
	life
	count int64
}

func (s *slotCounting) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return s.Start(serverUS, clientUS, key, cost, 0)
}

func (s *slotCounting) Fork(key string) limit.Model {
	return &slotCounting{s.most, s.ttlUS, tokensOf[slotCount, *slotCount]{s.store.fork(key)}}
}

func (s *slotCounting) Start(serverUS, _ int64, key string, _, _ int64) limit.Decision {
	at, c := s.at(serverUS, key)
	if c.count >= s.most {
		return limit.Decision{RetryAfterUS: limit.Never}
	}
	c.count++
	if c.lastMS = 1 << 62; s.ttlUS > 0 {
		c.lastMS = at.afterUS(s.ttlUS)
	}
	return limit.Decision{Verdict: limit.Allowed, Remaining: s.most - c.count}
}

func (s *slotCounting) End(serverUS, _ int64, key string, _ limit.Ending) bool {
	_, c := s.at(serverUS, key)
	if c.count == 0 {
		return false
	}
	c.count--
	return true
}

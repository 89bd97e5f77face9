package algorithms

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Tokens is an algorithm for requests whose cost is known only at their end, such as the tokens of a language model. A
// start reserves tokens, and the end settles them.
type Tokens struct {
	Label      string
	Name       string // of its script in lua
	Parameters map[string]string
	Reserve    int64    // tokens that a start reserves on top of the known cost; NoReserve: it reserves nothing
	Args       []string // ARGV[3] and later of a start
	NewTracker func() limit.Tracker
}

// NoReserve means that a start reserves nothing, and that the end charges the whole cost.
const NoReserve = -1

// ReservesNothing is the value of reserve for NoReserve.
const ReservesNothing = "none"

// settling are the algorithms whose charges can be settled, by name, with the parts of Tokens that a limit determines.
var settling = map[string]func(p limit.Policy) (script string, args []string, fresh func() limit.Tracker, err error){
	"gcra":                 gcraTokensUnder,
	"fixed-window-aligned": windowTokensUnder,
	logTokens:              logTokensUnder,
	"token-bucket-debt":    debtTokensUnder,
}

const logTokens = "log-tokens"

// Settling returns the names of the algorithms whose charges can be settled.
func Settling() []string { return slices.Sorted(maps.Keys(settling)) }

// tokenLogs is an algorithm that only has rows for requests whose cost is known at their end.
var tokenLogs = Algorithm{
	Name:    logTokens,
	Family:  "log",
	Colour:  "#0072b2", // blue, as the sliding log
	State:   "a sorted set of the requests in the window, with what each is charged",
	Rule:    "as sliding-window-log; the end of a request corrects its entry",
	Bound:   "none: a request may cost more than it reserves",
	Sources: []string{"https://redis.io/docs/latest/develop/data-types/sorted-sets/"},
}

// IsTokens reports whether c is of requests whose cost is known at their end.
func (c Choice) IsTokens() bool {
	v := c.values()
	return c.Algorithm.isSpecial() || v.isSet("reserve") || v.isSet("settle")
}

// WithoutSettle reports whether c never settles, and returns c without that parameter. The label stays the same.
func (c Choice) WithoutSettle() (Choice, bool) {
	never := c.values().isSet("settle")
	c.set = maps.Clone(c.set)
	delete(c.set, "settle")
	return c, never
}

// TokensUnder returns c's algorithm for requests whose cost is known at their end, for a limit. An error names a
// parameter that does not fit.
func (c Choice) TokensUnder(p limit.Policy) (*Tokens, error) {
	prepare := settling[c.Algorithm.Name]
	for _, name := range slices.Sorted(maps.Keys(c.set)) {
		if name != "reserve" {
			return nil, fmt.Errorf("%s: %s= does not go with costs that are known at the end", c.Label, name)
		}
	}
	if prepare == nil && c.Algorithm.isSpecial() {
		return nil, fmt.Errorf("%s: %s", c.Label, c.Algorithm.needs())
	}
	if prepare == nil {
		return nil, fmt.Errorf("%s: its charges cannot be settled; want one of %s, or settle=no", c.Label,
			message.List(Settling()))
	}
	text := c.values().Word("reserve", "0")
	t := &Tokens{Label: c.Label, Parameters: map[string]string{"reserve": text}}
	var err error
	if t.Reserve, err = reserveOf(text); err == nil {
		t.Name, t.Args, t.NewTracker, err = prepare(p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Label, err)
	}
	return t, nil
}

// reserveOf reads none, or a number of tokens.
func reserveOf(text string) (int64, error) {
	if text == ReservesNothing {
		return NoReserve, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > limit.MaxRequests {
		return 0, fmt.Errorf("parameter reserve: %s: want none, or a whole number from 0 to %d", message.Quote(text),
			limit.MaxRequests)
	}
	return n, nil
}

// tokensOf holds the states of a Tracker's keys.
type tokensOf[S any, P perishable[S]] struct{ store store[S, P] }

// at returns the state of a key. The rule reads the server's clock.
func (t *tokensOf[S, P]) at(serverUS int64, key string) (*moment, *S) {
	s := t.store.of(key, serverUS, serverUS)
	return &t.store.at, s
}

// gcraTokens is gcra without an upper bound of the debt, because a request may cost more than it reserved.
type gcraTokens struct {
	gcra
	tokensOf[arrival, *arrival]
}

func gcraTokensUnder(p limit.Policy) (script string, args []string, fresh func() limit.Tracker, err error) {
	burst, interval := p.Capacity(), ceilDiv(ticks*p.WindowUS(), p.Requests)
	err = withinSpan("filling the bucket", burst, interval, limit.MaxExact/2, ticks)
	return "gcra-tokens", decimal(burst, p.WindowUS(), p.Requests), func() limit.Tracker {
		return &gcraTokens{gcra{bucket{burst, interval, ticks}},
			tokensOf[arrival, *arrival]{newStore[arrival](clock{})}}
	}, err
}

func (g *gcraTokens) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return g.Start(serverUS, clientUS, key, cost, 0)
}

func (g *gcraTokens) Fork(key string) limit.Model {
	return &gcraTokens{g.gcra, tokensOf[arrival, *arrival]{g.store.fork(key)}}
}

// wait returns the time until the bucket is full, in ticks. It is more than full if there is a debt.
func (g *gcraTokens) wait(at *moment, a *arrival) int64 {
	if a.lastMS == 0 {
		return 0
	}
	return max(0, a.tat-(at.nowUS-epochUS)*ticks)
}

func (g *gcraTokens) set(at *moment, a *arrival, wait int64) {
	a.tat, a.lastMS = (at.nowUS-epochUS)*ticks+wait, at.nowMS+max(1, ceilDiv(wait, ticks*1000))
}

func (g *gcraTokens) Start(serverUS, _ int64, key string, cost, _ int64) (d limit.Decision) {
	at, a := g.at(serverUS, key)
	wait, full := g.wait(at, a), g.capacity*g.w
	after := wait + cost*g.w
	if after <= full && (cost > 0 || wait < full) {
		d.Verdict, wait = limit.Allowed, after
		g.set(at, a, wait)
	} else if cost > g.capacity {
		d.RetryAfterUS = limit.Never
	} else {
		d.RetryAfterUS = ceilDiv(max(1, after-full), ticks)
	}
	d.Remaining, d.ResetAfterUS = max(0, (full-wait)/g.w), ceilDiv(wait, ticks)
	return d
}

func (g *gcraTokens) End(serverUS, _ int64, key string, e limit.Ending) bool {
	at, a := g.at(serverUS, key)
	g.set(at, a, max(0, g.wait(at, a)+(e.Actual-e.Reserved)*g.w))
	return true
}

// windowTokens is a fixed window aligned to the clock. A settlement corrects the count of the window in which the
// request was admitted, if that is still the current one.
type windowTokens struct {
	limit, windowUS int64
	tokensOf[windowCounter, *windowCounter]
}

// windowCounter is the count of the window that begins at beginUS.
type windowCounter struct {
	life
	beginUS, count int64
}

func windowTokensUnder(p limit.Policy) (script string, args []string, fresh func() limit.Tracker, err error) {
	return "fixed-window-aligned-tokens", decimal(p.Requests, p.WindowUS()), func() limit.Tracker {
		return &windowTokens{p.Requests, p.WindowUS(),
			tokensOf[windowCounter, *windowCounter]{newStore[windowCounter](clock{})}}
	}, nil
}

func (w *windowTokens) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return w.Start(serverUS, clientUS, key, cost, 0)
}

func (w *windowTokens) Fork(key string) limit.Model {
	return &windowTokens{w.limit, w.windowUS, tokensOf[windowCounter, *windowCounter]{w.store.fork(key)}}
}

func (w *windowTokens) Start(serverUS, _ int64, key string, cost, _ int64) (d limit.Decision) {
	at, s := w.at(serverUS, key)
	begin := beginOf(at.nowUS, w.windowUS)
	left, used := begin+w.windowUS-at.nowUS, int64(0)
	if s.beginUS == begin {
		used = s.count
	}
	switch {
	case used+cost <= w.limit && used < w.limit:
		d.Verdict, used = limit.Allowed, used+cost
		*s = windowCounter{life{at.afterUS(left)}, begin, used}
	case cost > w.limit:
		d.RetryAfterUS = limit.Never
	default:
		d.RetryAfterUS = left
	}
	if d.Remaining = max(0, w.limit-used); used > 0 {
		d.ResetAfterUS = left
	}
	return d
}

func (w *windowTokens) End(serverUS, _ int64, key string, e limit.Ending) bool {
	at, s := w.at(serverUS, key)
	begin := beginOf(e.StartUS, w.windowUS)
	if s.lastMS == 0 || s.beginUS != begin || begin != beginOf(at.nowUS, w.windowUS) {
		return false
	}
	s.count = max(0, s.count+e.Actual-e.Reserved)
	return true
}

// debtTokens is a bucket that is refilled at whole intervals. A start may leave a debt below the capacity, and an end
// any debt.
type debtTokens struct {
	capacity, refill, intervalUS int64
	tokensOf[debt, *debt]
}

// debt has the tokens of one key at lastUS, the end of an interval.
type debt struct {
	life
	tokens, lastUS int64
}

func debtTokensUnder(p limit.Policy) (script string, args []string, fresh func() limit.Tracker, err error) {
	capacity, refill := p.Capacity(), min(p.Requests, p.Capacity())
	intervalUS, rest := limit.Quotient(refill, p.WindowUS(), p.Requests, limit.MaxWindow.Microseconds())
	if rest {
		intervalUS++
	}
	err = withinSpan("filling the bucket", ceilDiv(2*capacity, refill), intervalUS, limit.MaxExact/2, 1)
	return "token-bucket-debt-tokens", decimal(capacity, refill, intervalUS), func() limit.Tracker {
		return &debtTokens{capacity, refill, intervalUS, tokensOf[debt, *debt]{newStore[debt](clock{})}}
	}, err
}

func (b *debtTokens) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return b.Start(serverUS, clientUS, key, cost, 0)
}

func (b *debtTokens) Fork(key string) limit.Model {
	return &debtTokens{b.capacity, b.refill, b.intervalUS, tokensOf[debt, *debt]{b.store.fork(key)}}
}

// refilled returns the tokens at the present time, and the end of the last interval.
func (b *debtTokens) refilled(at *moment, s *debt) (tokens, lastUS int64) {
	if s.lastMS == 0 {
		return b.capacity, at.nowUS
	}
	intervals := max(0, floorDiv(at.nowUS-s.lastUS, b.intervalUS))
	return min(b.capacity, s.tokens+product(intervals, b.refill)), s.lastUS + intervals*b.intervalUS
}

func (b *debtTokens) set(at *moment, s *debt, tokens, lastUS int64) {
	lifeUS := max(0, lastUS-at.nowUS) + ceilDiv(b.capacity-tokens, b.refill)*b.intervalUS
	*s = debt{life{at.nowMS + max(1, ceilDiv(lifeUS, 1000))}, tokens, lastUS}
}

func (b *debtTokens) Start(serverUS, _ int64, key string, cost, _ int64) (d limit.Decision) {
	at, s := b.at(serverUS, key)
	tokens, lastUS := b.refilled(at, s)
	takes := func() int64 {
		if tokens <= 0 {
			return 0
		}
		return min(b.capacity, tokens+b.capacity-1)
	}
	wait := func(wanted int64) int64 {
		if tokens >= wanted {
			return 0
		}
		return lastUS + ceilDiv(wanted-tokens, b.refill)*b.intervalUS - at.nowUS
	}
	switch {
	case tokens > 0 && cost <= takes():
		d.Verdict, tokens = limit.Allowed, tokens-cost
		b.set(at, s, tokens, lastUS)
	case cost > b.capacity:
		d.RetryAfterUS = limit.Never
	default:
		d.RetryAfterUS = wait(max(1, cost-b.capacity+1))
	}
	d.Remaining, d.ResetAfterUS = takes(), wait(b.capacity)
	return d
}

func (b *debtTokens) End(serverUS, _ int64, key string, e limit.Ending) bool {
	at, s := b.at(serverUS, key)
	tokens, lastUS := b.refilled(at, s)
	b.set(at, s, min(b.capacity, tokens+e.Reserved-e.Actual), lastUS)
	return true
}

// logOfTokens is a sliding log whose entries are corrected at the end. An entry counts from its start on.
type logOfTokens struct {
	limit, windowUS int64
	tokensOf[tokenLog, *tokenLog]
}

// tokenLog has the requests of one key that were admitted in a window.
type tokenLog struct {
	life
	entries []tokenEntry
}

type tokenEntry struct{ atUS, number, cost int64 }

func (l *tokenLog) unshare() { l.entries = slices.Clone(l.entries) }

func logTokensUnder(p limit.Policy) (script string, args []string, fresh func() limit.Tracker, err error) {
	return logTokens, decimal(p.Requests, p.WindowUS()), func() limit.Tracker {
		return &logOfTokens{p.Requests, p.WindowUS(), tokensOf[tokenLog, *tokenLog]{newStore[tokenLog](clock{})}}
	}, nil
}

func (l *logOfTokens) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return l.Start(serverUS, clientUS, key, cost, 0)
}

func (l *logOfTokens) Fork(key string) limit.Model {
	return &logOfTokens{l.limit, l.windowUS, tokensOf[tokenLog, *tokenLog]{l.store.fork(key)}}
}

func (l *logOfTokens) Start(serverUS, _ int64, key string, cost, number int64) (d limit.Decision) {
	at, s := l.at(serverUS, key)
	gone := 0
	for gone < len(s.entries) && s.entries[gone].atUS <= at.nowUS-l.windowUS {
		gone++
	}
	s.entries = slices.Delete(s.entries, 0, gone)
	var held int64
	for _, e := range s.entries {
		held += e.cost
	}
	if held+cost <= l.limit && held < l.limit {
		s.entries = append(s.entries, tokenEntry{at.nowUS, number, cost})
		s.lastMS = at.afterUS(l.windowUS)
		return limit.Decision{Verdict: limit.Allowed, Remaining: l.limit - held - cost, ResetAfterUS: l.windowUS}
	}
	d.Remaining, d.RetryAfterUS = max(0, l.limit-held), limit.Never
	if cost <= l.limit {
		left := held
		for _, e := range s.entries {
			if left -= e.cost; left+cost <= l.limit && left < l.limit {
				d.RetryAfterUS = e.atUS + l.windowUS - at.nowUS
				break
			}
		}
	}
	if n := len(s.entries); n > 0 {
		d.ResetAfterUS = s.entries[n-1].atUS + l.windowUS - at.nowUS
	}
	return d
}

func (l *logOfTokens) End(serverUS, _ int64, key string, e limit.Ending) bool {
	_, s := l.at(serverUS, key)
	i := slices.IndexFunc(s.entries, func(o tokenEntry) bool { return o.number == e.Number })
	if i >= 0 {
		s.entries[i].cost = e.Actual
	}
	return i >= 0
}

// TokenRows returns the rows of every run whose costs are known at the end of requests.
func TokenRows() (all []Choice) {
	add := func(name string, set map[string]string) {
		if c, err := Choose(name, set); err == nil {
			all = append(all, c)
		}
	}
	afterwards := map[string]string{"reserve": ReservesNothing}
	add(logTokens, nil)
	add(logTokens, afterwards)
	for _, c := range Defaults() {
		switch {
		case IsFloor(c.Label) || c.Algorithm.Family == "shaper":
		case settling[c.Algorithm.Name] != nil:
			add(c.Label, nil)
			add(c.Label, afterwards)
		default:
			add(c.Label, map[string]string{"settle": "no"})
		}
	}
	return all
}

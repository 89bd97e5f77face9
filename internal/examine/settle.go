package examine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
)

// settling is a way to correct, at the end of a request, what the start reserved.
type settling struct {
	kind  string // of the fault; "": it is right
	words string
	// At the end, the difference is taken; otherwise, the charge of the start is replaced.
	atEnd   bool
	clipped bool // no more than the limit is ever free
	never   bool // the charge stays
	nothing bool // the start reserves nothing, and passes if any tokens are left
	buckets bool // only for buckets, where the end is as good as the start
	windows bool // only for windows
}

// settlings are the known ways, the right ones first.
var settlings = []settling{
	{words: "it replaces what was reserved by the actual cost"},
	// The rules of buckets clip by themselves.
	{words: "it replaces what was reserved by the actual cost", atEnd: true, buckets: true},
	{words: "it reserves nothing, and counts the actual cost at the end", nothing: true},
	{words: "it reserves nothing, and counts the actual cost at the end", nothing: true, atEnd: true, clipped: true},
	{kind: "never_settles", words: "but it keeps what was reserved", never: true},
	{kind: "settles_late", words: "but a refund counts in the window of the end", atEnd: true, clipped: true,
		windows: true},
	{kind: "refund_free", words: "but a refund after the window gives room above the limit", atEnd: true,
		windows: true},
}

// charge is a change of a rule's state.
type charge struct {
	atUS     int64
	cost     float64
	admitted bool
}

// history returns the changes up to request i of a play, given the script's own decisions, in order of time.
func (s *settling) history(p *outcome, i int) (all []charge) {
	now := p.asks[i].AtUS
	for j, q := range p.asks[:i] {
		reserved, admitted := float64(q.Cost), p.got[j].Allowed()
		if s.nothing {
			reserved = 0
		}
		end := q.AtUS + q.TakesUS
		ended := admitted && q.TakesUS > 0 && end <= now && !s.never
		switch {
		case !ended || s.atEnd:
			all = append(all, charge{q.AtUS, reserved, admitted})
		default:
			all = append(all, charge{q.AtUS, float64(q.Spent()), admitted})
		}
		if ended && s.atEnd {
			all = append(all, charge{end, float64(q.Spent()) - reserved, true})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].atUS < all[b].atUS })
	return all
}

// room returns the least and the most that the rule admits at request i of a play, with this settling. As for requests
// without an end, the rule may decide a little earlier or later.
func (s *settling) room(r *rule, p *outcome, i int, z sizes, toleranceUS int64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, late := range []int64{0, -toleranceUS, toleranceUS} {
		z.lateUS = late
		state := r.begin(z)
		epochUS := scenario.DefaultStart.UnixMicro() + p.startUS
		for _, c := range s.history(p, i) {
			cost := c.cost
			if s.clipped && cost < 0 {
				cost = max(cost, min(0, state.room(epochUS+c.atUS)-float64(z.atOnce)))
			}
			state.took(epochUS+c.atUS, cost, c.admitted)
		}
		for _, off := range [...]int64{0, -toleranceUS, toleranceUS} {
			room := state.room(epochUS + p.asks[i].AtUS + off)
			low, high = min(low, room), max(high, room)
		}
	}
	return low, high
}

// judge compares the decision on request i with the rule: the script admits what the rule rejects, or the reverse.
func (s *settling) judge(r *rule, p *outcome, i int, z sizes, toleranceUS int64) (over, under bool) {
	low, high := s.room(r, p, i, z, toleranceUS)
	needed := float64(p.asks[i].Cost)
	if s.nothing {
		needed = 1e-6
	}
	admitted := p.got[i].Allowed()
	return admitted && needed > high+1e-6, !admitted && needed <= low+1e-9
}

// explains returns the first decision of a play that the rule does not explain with this settling, or -1.
func (s *settling) explains(r *rule, p *outcome, z sizes, toleranceUS int64) int {
	for i := range p.asks {
		if over, under := s.judge(r, p, i, z, toleranceUS); over || under {
			return i
		}
	}
	return -1
}

// fits reports whether the settling can be of the rule.
func (s *settling) fits(r *rule, z sizes) bool {
	switch r.begin(z).(type) {
	case *bucket, *refilled:
		return !s.windows
	}
	return !s.buckets
}

// leastTokens is the smallest burst whose settlements are examined: the plays have costs of tenths of it.
const leastTokens = 5

// settlements examines requests whose cost is known at their end. The rule that explains the starts must explain them
// with a right settling; a wrong one that explains everything names the fault.
func (x *examination) settlements() error {
	if x.burst < leastTokens || !x.takesCost() || x.delayUS > 0 {
		return nil
	}
	before := x.decisions
	plays := x.endings()
	all, err := x.decide(x.limiter, plays)
	if err != nil {
		return err
	}
	among := x.rules
	if len(among) == 0 {
		among = rules()
	}
	x.estimate(all[0])
	if x.endless && !x.has("never_expires") {
		x.say(fault, "never_expires", nil, "after a settlement a key has no TTL")
		x.found.Checked = slices.DeleteFunc(x.found.Checked, func(what string) bool { return what == "TTL" })
	}
	if x.has("ignores_cost") {
		return nil
	}
	note := fmt.Sprintf("settlements (%s plays, %s decisions)", message.Grouped(int64(len(plays))),
		message.Grouped(x.decisions-before))
	var right *settling
	for k := range settlings {
		s := &settlings[k]
		for n := range among {
			r := &among[n]
			if !s.fits(r, x.sizes()) || !x.explainedBy(s, r, all) {
				continue
			}
			if s.kind == "" {
				x.found.Family = r.name() + "; " + s.words
				x.found.Checked = append(x.found.Checked, note)
				return nil
			}
			right = &settlings[0]
			if !right.fits(r, x.sizes()) {
				right = &settlings[1]
			}
			x.wrongSettling(s, right, r, all)
			return nil
		}
	}
	return x.unknownSettling(all)
}

// explainedBy reports whether a rule with a settling explains all plays.
func (x *examination) explainedBy(s *settling, r *rule, all []*outcome) bool {
	return !slices.ContainsFunc(all, func(p *outcome) bool {
		return s.explains(r, p, x.sizes(), x.toleranceUS()) >= 0
	})
}

// wrongSettling adds the finding of a settling that is wrong, with the smallest traffic that shows it.
func (x *examination) wrongSettling(s, right *settling, r *rule, all []*outcome) {
	x.found.Family = r.name() + ", " + s.words
	var shown *play
	admits := false
	for _, p := range all {
		i := right.explains(r, p, x.sizes(), x.toleranceUS())
		if i >= 0 && (shown == nil || i+1 < len(shown.asks)) {
			shown, admits = p.of(p.asks[:i+1]), p.got[i].Allowed()
		}
	}
	what := "it rejects the last, which a right settlement admits"
	if admits {
		what = "it admits the last, which a right settlement rejects"
	}
	x.say(fault, s.kind, shown, "%s: %s", inWords(shown), what)
}

// unknownSettling judges settlements that no known way explains. If the rule of the starts is known, a decision is
// wrong if no right way explains it. Otherwise, no more than any rule allows may be admitted, and a client that uses
// less than the limit is not rejected.
func (x *examination) unknownSettling(all []*outcome) error {
	told := len(x.found.Findings)
	if len(x.rules) > 0 {
		x.wrongDecisions(all)
	} else {
		x.anyRule(all)
	}
	if len(x.found.Findings) == told {
		x.found.Checked = append(x.found.Checked, "the settlements follow no rule that is known")
	}
	return nil
}

// wrongDecisions adds a finding for the first decision of each kind that no right settling explains.
func (x *examination) wrongDecisions(all []*outcome) {
	smallest := map[bool]*play{}
	for _, p := range all {
		for i := range p.asks {
			over, under := true, true
			for k := range settlings {
				s := &settlings[k]
				for n := range x.rules {
					if s.kind == "" && s.nothing == x.endAtOnce && s.fits(&x.rules[n], x.sizes()) {
						o, u := s.judge(&x.rules[n], p, i, x.sizes(), x.toleranceUS())
						over, under = over && o, under && u
					}
				}
			}
			if shown := smallest[over]; over != under && (shown == nil || i+1 < len(shown.asks)) {
				smallest[over] = p.of(p.asks[:i+1])
			}
		}
	}
	if p := smallest[true]; p != nil {
		x.say(fault, "undercharges", p, "%s: it admits the last, although the actual costs leave no room", inWords(p))
	}
	if p := smallest[false]; p != nil {
		x.say(fault, "never_settles", p, "%s: it rejects the last, although the actual costs leave room", inWords(p))
	}
}

// anyRule adds findings that hold for every rule.
func (x *examination) anyRule(all []*outcome) {
	l, w, b := x.limit, x.windowUS, x.burst
	for _, p := range all {
		for i, q := range p.asks {
			spent := int64(0)
			for j := i; j >= 0 && p.asks[j].AtUS > q.AtUS-w; j-- {
				if p.got[j].Allowed() {
					spent += p.asks[j].Spent()
				}
			}
			under := !p.has(func(o limit.Request) bool { return o.Spent() > o.Cost })
			if under && spent > max(b+l, 2*l) && !x.has("over") {
				shown := p.of(p.asks[:i+1])
				x.say(fault, "over", shown, "%s: it admits %d in %s", inWords(shown), spent, report.Span(w))
			}
		}
	}
	steady := all[1]
	if i := slices.IndexFunc(steady.got, func(d limit.Decision) bool { return !d.Allowed() }); i >= 0 {
		shown := steady.of(steady.asks[:i+1])
		x.say(fault, "never_settles", shown, "%s: it rejects the last, and the client uses %d in %s", inWords(shown),
			6*x.tenths(1), report.Span(w))
	}
}

// estimate adds a property: how much is admitted if requests cost more at the end than they reserve.
func (x *examination) estimate(p *outcome) {
	n, cost := p.admitted(0), p.asks[0].Actual
	if spent := n * cost; spent > 2*max(x.limit, x.burst) {
		x.say(property, "underestimated", p.play, "%d requests at once, of cost 1, that cost %d at the end: it admits "+
			"%d in %s", len(p.asks), cost, spent, report.Span(x.windowUS))
	}
}

// tenths returns a number of tenths of the burst, at least 1.
func (x *examination) tenths(n int64) int64 { return max(1, x.burst*n/10) }

// endings returns the traffic of requests that end. Times are in sixtieths of the window.
func (x *examination) endings() (all []*play) {
	u := x.windowUS / 60
	type ask struct{ at, tenths, actual, takes int64 } // at and takes in quarters of u
	add := func(phase int64, asks ...ask) {
		p := &play{name: "ends", phaseUS: phase}
		for _, a := range asks {
			q := limit.Request{AtUS: a.at * u / 4, Key: key, Cost: x.tenths(a.tenths), TakesUS: a.takes * u / 4}
			if q.Actual = x.tenths(a.actual); a.actual == 0 {
				q.Actual = 0
			}
			if last := len(p.asks) - 1; last >= 0 {
				q.AtUS = max(q.AtUS, p.asks[last].AtUS+1)
			}
			p.asks = append(p.asks, q)
		}
		all = append(all, p)
	}
	tiny := play{name: "ends"}
	for range x.burst {
		tiny.asks = append(tiny.asks, limit.Request{AtUS: int64(len(tiny.asks)), Key: key, Cost: 1,
			Actual: max(2, x.burst/2), TakesUS: x.windowUS / 2})
	}
	all = append(all, &tiny)
	steady := []ask{}
	for i := range int64(14) {
		steady = append(steady, ask{40*i + 4, 5, 1, 4})
	}
	add(0, steady...)
	for _, phase := range []int64{0, x.windowUS / 3} {
		add(phase, ask{0, 6, 0, 400}, ask{4, 5, 0, 400}, ask{8, 4, 0, 400})
		add(phase, ask{4, 1, 0, 2}, ask{236, 8, 1, 8}, ask{242, 8, 0, 4}, ask{248, 8, 0, 4}, ask{256, 4, 0, 4})
		add(phase, ask{4, 9, 1, 244}, ask{252, 10, 0, 4}, ask{256, 9, 0, 4}, ask{260, 3, 0, 4})
		add(phase, ask{4, 6, 1, 20}, ask{8, 4, 4, 20}, ask{32, 6, 2, 20}, ask{36, 4, 3, 20}, ask{60, 3, 0, 4},
			ask{64, 3, 0, 4})
		add(phase, ask{4, 3, 1, 720}, ask{1000, 2, 1, 4}, ask{1010, 9, 9, 4}) // its window and its key are long over
		add(phase, ask{4, 5, 10, 20}, ask{28, 3, 0, 20}, ask{32, 1, 0, 20}, ask{160, 5, 0, 4}, ask{252, 5, 0, 4})
	}
	random := rand.New(rand.NewPCG(3, 4))
	for k := range int64(12) {
		p := &play{name: "ends", phaseUS: random.Int64N(x.windowUS)}
		at := int64(0)
		for range 16 {
			at += 1 + random.Int64N(x.windowUS/5)
			cost := 1 + random.Int64N(x.tenths(6))
			q := limit.Request{AtUS: at, Key: key, Cost: cost, Actual: 1 + random.Int64N(cost),
				TakesUS: 1 + random.Int64N(x.windowUS*3/2)}
			if k%4 == 3 {
				q.Actual = 1 + random.Int64N(2*cost)
			}
			p.asks = append(p.asks, q)
		}
		all = append(all, p)
	}
	return all
}

package examine

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// fewSlots is the limit on requests in flight that is examined if the binding passes the limit.
const fewSlots = 2

// slots examines a script under a limit on requests in flight. The rule is known: a request is admitted if and only if
// fewer than the limit of those that the script itself admitted are in flight. A holder that dies is in flight until
// then. Each finding is a decision that departs from this rule, or a law: a second release and a late one change
// nothing.
func (s *Script) slots(asked *examination) (*result.Examination, error) {
	x := asked
	at := asked.policy
	at.Requests = fewSlots
	switch {
	case asked.limiter.Ends == nil:
		x.found.NotExamined = "the binding has no ends:, so no slot is ever freed; name the call at the end"
		return x.found, nil
	case asked.limit > fewSlots && s.passes(asked.policy, more):
		few, err := s.under(asked.ctx, at)
		if err != nil {
			return nil, err
		}
		few.found, few.why = asked.found, fewer
		x = few
	case asked.limit > large:
		x.found.NotExamined = fmt.Sprintf("the limit %v is large, and the binding does not pass it; give a limit "+
			"of at most %d", asked.policy, large)
		return x.found, nil
	}
	x.windowUS, x.fillUS = second, second // plays begin with a second of the clock
	x.found.Family = "a limit on requests in flight"
	err := x.inFlight()
	if failed := callError(err); failed != nil {
		err = x.fails(failed)
	}
	x.found.Partial = err != nil && x.ctx.Err() != nil
	return x.found, err
}

// holding is a play whose requests run for some time.
type holding struct{ play }

// add adds n requests at once, at a time since the play's start.
func (h *holding) add(n, atUS, takesUS int64, dies bool) *holding {
	endUS := atUS + takesUS
	for range n {
		if last := len(h.asks) - 1; last >= 0 {
			atUS = max(atUS, h.asks[last].AtUS+1)
		}
		if dies { // all at one instant
			takesUS = endUS - atUS
		}
		h.asks = append(h.asks, limit.Request{AtUS: atUS, Key: key, Cost: 1, TakesUS: takesUS, Dies: dies})
	}
	return h
}

// inFlight plays the traffic.
func (x *examination) inFlight() error {
	one := (&holding{}).add(1, 0, second, false)
	first, err := x.decide(x.limiter, []*play{&one.play})
	if err != nil {
		return err
	}
	if x.left.WithoutTTL == 0 {
		x.livesUS = x.left.EndUS - first[0].startUS
	}
	x.cluster()
	life := x.livesUS
	if life <= 0 {
		life = 60 * second
	}
	n := x.limit
	together := (&holding{}).add(n+2, 0, life/2, false)
	freed := (&holding{}).add(n, 0, life/4, false).add(n+1, life/4+millisecond, life/4, false)
	apart := (&holding{}).add(n+1, 0, life/2, false)
	apart.asks = append(apart.asks, limit.Request{AtUS: second, Key: another, Cost: 1, TakesUS: second})
	plays := []*play{&together.play, &apart.play, &freed.play}
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		p, at := &holding{}, int64(0)
		for range 12 * n {
			at += 1 + random.Int64N(max(2, life/n))
			p.add(1, at, millisecond+random.Int64N(max(1, life*4/5)), false)
		}
		plays = append(plays, &p.play)
	}
	all, err := x.decide(x.limiter, plays)
	if err != nil {
		return err
	}
	x.plays = len(all) + 1
	switch got := all[0].admitted(0); {
	case got == 0:
		x.say(fault, "admits_none", together.until(1), "admits none of %d requests at once", n+2)
		return nil
	case got == n+2:
		x.say(fault, "no_limit", together.until(int(n)+1), "admits all of %d requests at once, and the limit is %d",
			n+2, n)
	case got != n:
		x.say(fault, "off_by_one", together.until(int(min(got, n))+1), "admits %d at once, and the limit is %d", got,
			n)
	case !all[1].got[n+1].Allowed():
		x.say(fault, "shares_keys", &apart.play,
			"rejects a client's first request once another client has used its limit")
	default:
		if err := x.churn(all[2:]); err != nil {
			return err
		}
		if err := x.crash(life); err != nil {
			return err
		}
		err = x.outlast(life)
	}
	x.found.Checked = append(x.found.Checked, fmt.Sprintf("%s, %s decisions at %v",
		message.Count(x.plays, "play"), message.Grouped(x.decisions), x.policy))
	for kind, holds := range map[string]string{"departs": "each decision by what is in flight",
		"counts_rejected": "rejected requests take no slot", "ends_twice": "a second release changes nothing",
		"frees_others": "a late release changes nothing", "slot_leaks": "the slots of dead holders come back"} {
		if kind == "frees_others" && !x.lateReleases {
			continue
		}
		if !x.has(kind, "departs", "counts_rejected", "no_limit", "off_by_one", "shares_keys") {
			x.found.Checked = append(x.found.Checked, holds)
		}
	}
	slices.Sort(x.found.Checked[1:])
	return err
}

// until returns the play's first n requests.
func (h *holding) until(n int) *play { return h.of(h.asks[:n]) }

// inFlight returns how many of the requests that the script admitted are in flight when request i comes.
func (p *outcome) inFlight(i int) (n int64) {
	for j, o := range p.asks[:i] {
		if p.got[j].Allowed() && o.Key == p.asks[i].Key && o.AtUS+o.TakesUS > p.asks[i].AtUS {
			n++
		}
	}
	return n
}

// departs returns the first decision that the rule does not explain, or -1.
func (p *outcome) departs(most int64) int {
	for i := range p.asks {
		if p.got[i].Allowed() != (p.inFlight(i) < most) {
			return i
		}
	}
	return -1
}

// sayDeparts adds a finding about a decision that departs from the rule.
func (x *examination) sayDeparts(kind string, p *outcome, i int) {
	inFlight := p.inFlight(i)
	what := "it rejects the last request, with %d in flight"
	if p.got[i].Allowed() {
		what, inFlight = "then %d are in flight", inFlight+1
	}
	shown := p.of(p.asks[:i+1])
	words := inWords(shown)
	if kind == "ends_twice" { // no scenario can show it
		shown, words = nil, "if each request is released twice: "+words
	}
	x.say(fault, kind, shown, "%s: "+what+"; the limit is %d", words, inFlight, x.limit)
}

// churn judges requests that end before their lease, and plays them again with two releases each.
func (x *examination) churn(all []*outcome) error {
	twice := *x.limiter
	ends := *x.limiter.Ends
	ends.Twice = true
	twice.Ends = &ends
	for _, p := range all {
		if i := p.departs(x.limit); i >= 0 {
			kind := "departs"
			if !p.got[i].Allowed() {
				asks := slices.Clone(p.asks[:i+1])
				got := p.got
				asks = slices.DeleteFunc(asks, func(q limit.Request) bool {
					j := slices.Index(p.asks, q)
					return j < i && !got[j].Allowed()
				})
				without, err := x.decide(x.limiter, []*play{p.of(asks)})
				if err != nil {
					return err
				}
				if without[0].got[len(asks)-1].Allowed() {
					kind = "counts_rejected"
				}
			}
			x.sayDeparts(kind, p, i)
			return nil
		}
	}
	again, err := x.playAgain(&twice, all)
	if err != nil {
		return err
	}
	for _, p := range again {
		if i := p.departs(x.limit); i >= 0 {
			x.sayDeparts("ends_twice", p, i)
			break
		}
	}
	return nil
}

// playAgain lets another limiter decide the same plays.
func (x *examination) playAgain(l *limiter.Limiter, all []*outcome) ([]*outcome, error) {
	var plays []*play
	for _, p := range all {
		plays = append(plays, p.play)
	}
	x.plays += len(plays)
	return x.decide(l, plays)
}

// crash lets all holders die, and asks on. Then it lets one holder die while other requests come and go, because these
// may keep the key, and so the dead holder's slot, alive.
func (x *examination) crash(life int64) error {
	const asks, rounds = 60, 24
	every := max(60*second, 4*life/asks)
	all := (&holding{}).add(x.limit, 0, life/4, true)
	for i := range int64(asks) {
		all.add(1, life/4+(i+1)*every, millisecond, false)
	}
	one := (&holding{}).add(1, 0, life/4, true)
	for i := range int64(rounds) {
		one.add(x.limit, (i+1)*life/3, life/10, false)
	}
	got, err := x.decide(x.limiter, []*play{&all.play, &one.play})
	if err != nil {
		return err
	}
	x.plays += len(got)
	i := slices.IndexFunc(got[0].got[x.limit:], limit.Decision.Allowed)
	last := len(one.asks) - int(x.limit)
	switch {
	case i < 0:
		x.say(fault, "slot_leaks", all.until(int(x.limit)+1), "after the holders die, it rejects all requests of %s",
			report.Briefly(asks*every))
	case got[1].admitted(last) < x.limit:
		x.say(fault, "slot_leaks", &one.play, "one holder dies, and %d requests come every %s: after %s, it still "+
			"admits %d of them at once", x.limit, report.Briefly(life/3), report.Briefly(rounds*life/3),
			got[1].admitted(last))
	default:
		x.say(property, "slots_return", all.until(int(x.limit)+i+1), "after the holders die, their slots are free "+
			"within %s", report.Briefly(int64(i+1)*every))
	}
	if x.livesUS == 0 && !x.has("slot_leaks") {
		x.say(fault, "never_expires", all.until(1), "after the holder dies, its key has no TTL")
	}
	return nil
}

// outlast lets requests run longer than a key lives. A slot must not be free before its request ends. A late release
// must not free the slot of another request.
func (x *examination) outlast(life int64) error {
	n := x.limit
	long := (&holding{}).add(n, 0, 3*life+second, false).add(n, life*6/5, second, false).add(n, life*5/2, second, false)
	late := func(dies bool) *play {
		return &(&holding{}).add(n, 0, life*13/10, dies).add(n, life*11/10, life*3/2, false).
			add(n, life*27/20, millisecond, false).play
	}
	all, err := x.decide(x.limiter, []*play{&long.play, late(false), late(true)})
	if err != nil {
		return err
	}
	x.plays += len(all)
	if i := all[0].departs(n); i >= 0 && all[0].got[i].Allowed() {
		x.sayDeparts("slot_ends", all[0], i)
	}
	released, dead := all[1], all[2]
	// A request has lost its slot if another one got it. Otherwise, its release is not late.
	x.lateReleases = slices.ContainsFunc(released.got[n:2*n], limit.Decision.Allowed)
	for i := int(2 * n); i < len(released.asks); i++ {
		if released.got[i].Allowed() && !dead.got[i].Allowed() && released.inFlight(i) >= n {
			shown := released.of(released.asks[:i+1])
			x.say(fault, "frees_others", shown, "%s: it admits the last only because a request that lost its slot is "+
				"released", inWords(shown))
			break
		}
	}
	return nil
}

package examine

import (
	"fmt"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// elsewhere are limits that show faults which other limits hide: a window of less than a second, a burst of less than
// half a second, and a burst of many seconds. At these limits, a TTL in whole seconds is 0 or too short. So is a TTL
// that does not follow from burst and rate.
var elsewhere = []limit.Policy{
	{Requests: 20, Window: 500 * time.Millisecond},
	{Requests: 20, Window: time.Second, Burst: 4, Contract: limit.ByBucket},
	{Requests: 2, Window: time.Second, Burst: 60, Contract: limit.ByBucket},
}

// besides looks for kinds of faults that have not been found yet. It plays some traffic at the limit the user asked
// about, if another limit was examined, and at some other limits, if the binding passes them.
func (x *examination) besides(asked limit.Policy) error {
	if x.has("fails", "admits_none") {
		return nil
	}
	if asked != x.policy || len(x.Shown) > 0 {
		if err := x.few(asked, ""); err != nil {
			return err
		}
	}
	for _, p := range elsewhere {
		changes := []func(*limit.Policy){more, longer}
		if p.Burst > 0 {
			changes = append(changes, burstier)
		}
		if !x.passes(p, changes...) {
			continue
		}
		if err := x.few(p, "tried besides"); err != nil {
			return err
		}
	}
	if x.found.Faults() > 0 { // the faults show here, too
		return nil
	}
	return x.underWay()
}

// few plays some traffic at another limit.
func (x *examination) few(p limit.Policy, why string) error {
	y, err := x.under(x.ctx, p)
	if err != nil {
		return nil //nolint:nilerr // the binding cannot express the limit
	}
	y.found.Limit, y.seconds, y.rules, y.why = x.found.Limit, x.seconds, x.rules, why
	if err = y.lookBriefly(); callError(err) != nil {
		err = y.fails(callError(err))
	}
	if err != nil {
		return err
	}
	for _, f := range y.found.Findings[:y.found.Faults()] {
		amounts := f.Kind == "departs" || f.Kind == "over" || f.Kind == "starves"
		if !x.has(f.Kind) && !(amounts && x.found.Faults() > 0) {
			x.found.Findings = slices.Insert(x.found.Findings, x.found.Faults(), f)
		}
	}
	if len(x.found.Checked) > 0 && y.plays > 0 {
		x.found.Checked[0] += ", " + message.Count(y.plays, "play") + " at " + inShort(p)
	}
	switch { // rules that agree at a limit of 1 differ at other limits
	case len(y.rules) > 0:
		x.rules = y.rules
		x.family()
	case y.found.Limit.Requests == 1:
		x.rules, x.found.Family = nil, ""
	}
	if y.why == "" { // the limit that the user asked about
		if y.found.Worst*x.limit >= x.found.Worst*y.limit {
			x.worstOf, x.worstAt, x.worstN = y.worstOf, y.policy, y.found.Worst
		}
		x.found.Worst = y.found.Worst
		if x.delayUS > 0 {
			x.delayUS = y.delayUS
			x.family()
		}
	}
	return nil
}

// lookBriefly is like look, but with few plays, which show faults of the limit.
func (y *examination) lookBriefly() error {
	if err := y.atOnce(); err != nil || y.admits == 0 {
		return err
	}
	w, e := y.windowUS, min(4*millisecond, y.windowUS/10)
	at := func(gap, n int64) volley { return volley{gapUS: gap, n: n, stepUS: y.stepUS} }
	var plays []*play
	for _, v := range [][]volley{
		{at(0, 1), at(w-e, y.limit), at(2*e, y.limit+1)},
		{at(0, y.burst), at(w/2, y.burst), at(w/2, y.burst)},
		{{n: max(8, y.limit*3/2), stepUS: w * 100 / (y.limit * 62)}},
		{at(0, y.burst), {gapUS: w / 2 / y.limit, n: 2 * y.limit, stepUS: max(1, w/2/y.limit)}},
		{{n: y.burst, stepUS: 1}, {gapUS: y.fillUS * 2 / 3, n: y.burst, stepUS: 1}},
	} {
		plays = append(plays, play{volleys: v}.expanded())
	}
	plays[2].name = calm
	if y.why == "" {
		plays = append(plays, y.shown()...)
	}
	if y.limiter.Program.TakesTime() && y.policy.Burst > 0 && y.fillUS < second {
		for _, p := range y.corpus(false) {
			if p.name == "clock behind" {
				plays = append(plays, p)
			}
		}
	}
	all, err := y.evaluate(y.limiter, plays, lawsOf("over", "starves", "client_clock"))
	if err != nil {
		return err
	}
	y.unseen(all)
	y.worst(all)
	for _, b := range y.broken(all) {
		if err := y.tell(b); err != nil {
			return err
		}
	}
	if y.found.Faults() > 0 || len(y.rules) == 0 {
		return nil
	}
	tolerance := y.toleranceUS()
	if y.seconds {
		tolerance += second
	}
	exact, nearest := y.fit(all, tolerance, y.rules)
	if len(exact) > 0 {
		y.rules = exact
		return nil
	}
	if y.found.Limit.Requests == 1 { // all rules agree at this limit, so none is known to be the script's
		y.rules = nil
		return nil
	}
	because := change{kind: "departs"}
	for _, c := range y.changes() {
		if c.ttls == (script.TTLs{}) {
			continue
		}
		after, err := y.changed(c, all, nil)
		if err != nil && callError(err) == nil {
			return err
		}
		if exact, _ := y.fit(after, tolerance, y.rules); err == nil && len(exact) > 0 {
			because = c
			break
		}
	}
	return y.tell(smallest(y.breaches(departs(nearest.rule, tolerance, &because), all)))
}

// lawsOf returns the laws of the given kinds.
func lawsOf(kinds ...string) []*law {
	return slices.DeleteFunc(slices.Clone(laws), func(l *law) bool { return !slices.Contains(kinds, l.kinds) })
}

// shown returns one play per client, with the requests of the run that shows the script.
func (x *examination) shown() (plays []*play) {
	of := map[string]*play{}
	first := map[string]int64{}
	for _, q := range x.Shown {
		p := of[q.Key]
		if p == nil {
			p = &play{phaseUS: (scenario.DefaultStart.UnixMicro() + q.AtUS) % x.windowUS}
			of[q.Key], first[q.Key] = p, q.AtUS
			plays = append(plays, p)
		}
		q.AtUS, q.Key = q.AtUS-first[q.Key], key
		p.asks = append(p.asks, q)
	}
	return plays
}

// underWay examines keys whose limit or burst changes while they are in use. No more may be admitted than under the
// larger limit. A client that asks for less than half of the smaller limit is never rejected. After a silence, the new
// limit holds.
func (x *examination) underWay() error {
	for _, c := range []struct {
		what   string
		change func(*limit.Policy)
	}{
		{"limit", func(p *limit.Policy) { *p = limiter.Changed(*p) }},
		{"burst", func(p *limit.Policy) { p.Burst = 2 * p.Capacity() }},
	} {
		larger := x.policy
		c.change(&larger)
		if !x.passes(x.policy, c.change) || x.has("changed") {
			continue
		}
		y, err := x.under(x.ctx, larger)
		if err != nil {
			return nil //nolint:nilerr // the binding cannot express the limit
		}
		y.admits, y.stepUS = x.admits*y.burst/x.burst, x.stepUS
		turn := 64*max(x.windowUS, x.fillUS, y.fillUS) + 16*second // the phase of y comes first
		both := x.limiter.WithoutModel()
		both.Program = x.limiter.Program.Changing(y.limiter.Program, 0, turn)
		var plays []*play
		for _, at := range []int64{turn, 2 * turn} {
			for _, v := range [][]volley{
				{{n: y.burst, stepUS: x.stepUS}, {gapUS: x.windowUS, n: y.burst, stepUS: x.stepUS}},
				{{n: 10 * y.burst, stepUS: max(1, x.windowUS/y.limit/5)}},
				{{n: 1}, {gapUS: x.windowUS, n: 3 * x.limit, stepUS: x.windowUS * 21 / 10 / x.limit}},
			} {
				plays = append(plays, play{volleys: v, phaseUS: at - x.windowUS/2, alignUS: 2 * turn}.expanded())
			}
		}
		larges, err := y.evaluate(both, plays, lawsOf("over", "expires_late"))
		if err != nil {
			return err
		}
		smalls, err := x.evaluate(both, plays, lawsOf("starves"))
		if err != nil {
			return err
		}
		found := slices.Concat(y.breaches(lawsOf("over")[0], larges), y.breaches(lawsOf("expires_late")[0], larges),
			x.breaches(lawsOf("starves")[0], smalls))
		if len(found) == 0 {
			x.found.Checked = append(x.found.Checked,
				fmt.Sprintf("a %s that changes under way (%d)", c.what, len(plays)))
		} else {
			x.say(fault, "changed", nil, "while its %s changes between %s and %s, %s: %s", c.what, inShort(x.policy),
				inShort(larger), inWords(found[0].shown), found[0].text)
		}
	}
	return nil
}

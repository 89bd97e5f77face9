package examine

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// fitted is a rule, with the number of plays that it does not explain.
type fitted struct {
	rule
	differ int
}

// fit compares all decisions with the rules. exact are the rules that explain everything. nearest is the rule that
// explains the most plays.
func (x *examination) fit(all []*outcome, toleranceUS int64, among []rule) (exact []rule, nearest fitted) {
	nearest.differ = len(all) + 1
	for _, r := range among {
		differ := 0
		for _, p := range all {
			if p.has(skewed) {
				continue
			}
			if over, under, _ := x.departures(&r, p, toleranceUS); over+under > 0 {
				differ++
			}
			if differ > 0 && differ >= nearest.differ {
				break
			}
		}
		if differ == 0 {
			exact = append(exact, r)
		}
		if differ < nearest.differ {
			nearest = fitted{r, differ}
		}
	}
	return exact, nearest
}

// fitAny is like fit. If no rule explains everything, it also tries windows with other numbers of parts.
func (x *examination) fitAny(all []*outcome, toleranceUS int64) (exact []rule, nearest fitted) {
	if exact, nearest = x.fit(all, toleranceUS, rules()); len(exact) > 0 {
		return exact, nearest
	}
	strict, loose := moreParts()
	exact, more := x.fit(all, toleranceUS, strict)
	if len(exact) == 0 && x.windowUS >= 5*second { // counting in whole seconds resembles parts
		if bySeconds, _ := x.fit(all, toleranceUS+second, rules()); len(bySeconds) > 0 {
			return nil, nearest
		}
	}
	if len(exact) == 0 {
		exact, more = x.fit(all, toleranceUS, loose)
	}
	if more.differ < nearest.differ {
		nearest = more
	}
	return exact, nearest
}

func (x *examination) departures(r *rule, p *outcome, toleranceUS int64) (over, under int64, first int) {
	return r.departures(p, x.sizes(), scenario.DefaultStart.UnixMicro(), toleranceUS)
}

func (x *examination) sizes() sizes {
	return sizes{limit: x.limit, burst: x.burst, windowUS: x.windowUS, atOnce: x.admits, tokenUS: x.tokenUS()}
}

func (x *examination) tokenUS() float64 { return float64(x.windowUS) / float64(x.limit) }

// toleranceUS returns the largest error of times in a correct script: rounding to ms, and rounding of the time per
// token.
func (x *examination) toleranceUS() int64 { return min(2500+2*x.burst, x.windowUS/20) }

// change is a hypothesis about a fault: with the change, a rule may explain everything.
type change struct {
	kind string // of the finding
	but  string // how the script departs from the rule: "but its keys expire too early"
	none string // how the finding ends: "none if its keys lived longer"
	// The change is one of the following.
	ttls      script.TTLs
	keep      func(*play) bool
	tolerance int64
	rejected  bool // leave out the rejected requests
	last      bool // except in the last volley
}

// changes returns the changes, in the order in which they are tried.
func (x *examination) changes() []change {
	cheap := func(p *play) bool { return !p.has(costly) }
	longer := "; none if its keys lived longer"
	if x.livesUS > 0 {
		longer += " than " + report.Briefly(x.livesUS)
	}
	early := func(times, plusMS int64) change {
		return change{kind: "expires_early", but: "but its keys expire too early",
			none: longer, ttls: script.TTLs{Times: times, PlusMS: plusMS}}
	}
	all := []change{
		{kind: "costs_above", but: "but for costs above the burst", keep: func(p *play) bool {
			return !p.has(func(q limit.Request) bool { return q.Cost > x.burst })
		}},
		{kind: "costs", but: "but for costs above 1", keep: cheap},
	}
	all = append(all, early(3000, 0), early(10, 0), early(2, 0), early(0, x.windowUS/1000))
	if x.windowUS >= 5*second {
		all = append(all, change{kind: "whole_seconds", but: "but it goes by whole seconds", tolerance: second})
	}
	return append(all,
		change{kind: "counts_rejected", but: "but rejected requests change what it admits", rejected: true, last: true,
			none: "; none if what it rejects were not asked"},
		change{kind: "silence", but: "but not after a long silence", keep: func(p *play) bool {
			for i := range p.asks[1:] {
				if p.asks[i+1].AtUS-p.asks[i].AtUS > 3*max(x.windowUS, x.fillUS) {
					return false
				}
			}
			return true
		}})
}

// kept returns the plays for which keep is true.
func kept(all []*outcome, keep func(*play) bool) (some []*outcome) {
	for _, p := range all {
		if keep(p.play) {
			some = append(some, p)
		}
	}
	return some
}

// changed returns the script's decisions under a change. If laws are given, their derived plays are decided too.
func (x *examination) changed(c change, all []*outcome, laws []*law) ([]*outcome, error) {
	plays := x.changedPlays(c, all)
	switch {
	case c.keep != nil:
		return kept(all, c.keep), nil
	case c.rejected:
		for round := 0; round < 2 && !c.last; round++ { // other requests may be rejected now
			again, err := x.decide(x.limiter, plays)
			if err != nil {
				return nil, err
			}
			plays = x.changedPlays(c, again)
		}
		return x.evaluate(x.limiter, plays, laws)
	case c.ttls != script.TTLs{}:
		return x.evaluate(x.longer(c.ttls), plays, laws)
	}
	return all, nil
}

// changedPlays returns the plays with a change of the requests.
func (x *examination) changedPlays(c change, all []*outcome) (plays []*play) {
	for _, p := range all {
		q := p.play
		if c.rejected {
			q = p.of(nil)
			last := p.asks[len(p.asks)-1].AtUS - 2*x.burst*x.stepUS
			for k, a := range p.asks {
				if p.got[k].Allowed() || c.last && a.AtUS >= last && a.Cost <= x.burst {
					q.asks = append(q.asks, a)
				}
			}
		}
		if len(q.asks) > 0 {
			plays = append(plays, q)
		}
	}
	return plays
}

// longer returns the limiter with other TTLs.
func (x *examination) longer(t script.TTLs) *limiter.Limiter {
	l, program := *x.limiter, *x.limiter.Program
	program.TTLs = t
	l.Program = &program
	return &l
}

// butFor returns the first change with which a rule explains everything.
func (x *examination) butFor(all []*outcome) (c change, exact []rule, after []*outcome, err error) {
	for _, c := range x.changes() {
		if c.ttls != (script.TTLs{}) && x.limiter.Program.Source == "" {
			continue // a library's code cannot be changed
		}
		after, err := x.changed(c, all, nil)
		if callError(err) != nil {
			continue
		}
		if err != nil {
			return c, nil, nil, err
		}
		if c.keep != nil && len(after) == len(all) || len(after) == 0 {
			continue
		}
		tolerance := x.toleranceUS() + c.tolerance
		judged := after
		if c.rejected { // decisions after a rejection may depend on it
			judged = nil
			for _, p := range after {
				n := slices.IndexFunc(p.got, func(d limit.Decision) bool { return !d.Allowed() }) + 1
				if n > 0 {
					p = &outcome{play: p.of(p.asks[:n]), got: p.got[:n], startUS: p.startUS}
				}
				judged = append(judged, p)
			}
		}
		among := rules()
		if strict, _ := moreParts(); c.keep != nil {
			among = slices.Concat(among, strict)
		}
		if exact, _ := x.fit(judged, tolerance, among); len(exact) > 0 {
			if c.ttls != (script.TTLs{}) || c.rejected {
				c.last = false
				after, err = x.changed(c, all, laws)
			}
			return c, exact, after, err
		}
	}
	return c, nil, nil, nil
}

// departs returns a law about the rule r. A play breaks the law if r does not explain one of its decisions.
func departs(r rule, toleranceUS int64, c *change) *law {
	return &law{kinds: c.kind, applies: func(_ *examination, p *play) bool { return !p.has(skewed) },
		judge: func(x *examination, p *outcome, _ []*outcome) *breach {
			over, under, first := x.departures(&r, p, toleranceUS)
			if over+under == 0 {
				return nil
			}
			name := r.name()
			what := fmt.Sprintf("it admits %d that %s does not", over, name)
			if over == 0 {
				what = fmt.Sprintf("it rejects %d that %s admits", under, name)
			}
			shown := p.play
			if over+under == 1 {
				shown = p.of(p.asks[:first+1])
			}
			return &breach{kind: c.kind, fault: true, shown: shown, got: p.got, text: what + c.none}
		}}
}

// smallest returns the breach with the fewest requests.
func smallest(all []*breach) *breach {
	return slices.MinFunc(all, func(a, b *breach) int {
		return cmp.Or(cmp.Compare(len(a.shown.asks), len(b.shown.asks)),
			cmp.Compare(len(a.of.volleys), len(b.of.volleys)))
	})
}

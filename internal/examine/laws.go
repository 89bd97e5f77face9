package examine

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/report"
)

// breach is a play in which the script breaks a law.
type breach struct {
	law      *law
	kind     string
	fault    bool
	text     string           // what the script does in the play
	shown    *play            // the traffic that shows it
	of       *play            // the play of the corpus in which the breach was found
	got      []limit.Decision // decisions on shown, if it is the whole play
	behindUS int64
}

// ofHints reports whether the breach is about the values in a reply.
func (b *breach) ofHints() bool {
	return slices.Contains([]string{"retry_after", "retry_late", "remaining", "reset_after"}, b.kind)
}

// ofRejected reports whether rejected requests caused the breach.
func (b *breach) ofRejected() bool {
	return b.kind == "counts_rejected" || b.kind == "refills_rejected"
}

// law is an exact statement that holds for every play, whatever the rule. Some laws need further plays, which are
// derived from a play.
type law struct {
	kinds   string // kinds of its findings
	holds   string // what the report says if the law was checked and holds
	derive  func(x *examination, p *outcome) []*play
	judge   func(x *examination, p *outcome, d []*outcome) *breach
	applies func(x *examination, p *play) bool
}

func plain(_ *examination, p *play) bool     { return !p.has(skewed) && !p.has(others) }
func withHints(x *examination, p *play) bool { return x.limiter.Program.TellsRetry && plain(x, p) }
func withSkew(_ *examination, p *play) bool  { return p.has(skewed) }

// laws are the laws for all plays. If a breach explains another one, its law comes first.
var laws = []*law{
	{kinds: "ignores_cost", holds: "costs", judge: (*examination).ignoresCost,
		applies: func(x *examination, p *play) bool { return p.has(costly) && plain(x, p) }},
	{kinds: "cost_over_burst", judge: (*examination).costOverBurst,
		applies: func(x *examination, p *play) bool { return p.has(costly) && x.takesCost() }},
	{kinds: "loses_fraction", holds: "fractions of a token", judge: (*examination).losesFraction,
		applies: func(_ *examination, p *play) bool { return p.name == fractions }},
	{kinds: "counts_rejected", holds: "rejections cost and refill nothing", derive: (*examination).withoutRejected,
		judge: (*examination).rejectedMatter, applies: plain},
	{kinds: "over", holds: "never above any rule's bound", judge: (*examination).over, applies: plain},
	{kinds: "starves", holds: "no client below half of the limit rejected", judge: (*examination).starves,
		applies: func(x *examination, p *play) bool {
			return plain(x, p) && (x.conforms(p) || p.name == calm && x.limit > 2)
		}},
	{kinds: "expires_late", holds: "a long silence makes a key new", derive: (*examination).afterSilence,
		judge: (*examination).silence, applies: plain},
	{kinds: "retry_after", holds: "hints", derive: (*examination).hinted, judge: (*examination).hints,
		applies: withHints},
	{kinds: "remaining", holds: "remaining", derive: (*examination).whatRemains, judge: (*examination).remains,
		applies: func(x *examination, p *play) bool { return x.tellsRemaining && plain(x, p) }},
	{kinds: "reset_after", holds: "reset", derive: (*examination).afterReset, judge: (*examination).resets,
		applies: func(x *examination, p *play) bool { return x.tellsReset && plain(x, p) }},
	{kinds: "client_clock", holds: "clocks", derive: (*examination).equalClocks,
		judge: (*examination).clientClock, applies: withSkew},
}

// takesCost reports whether the script gets the cost of a request, at its start or at its end.
func (x *examination) takesCost() bool {
	return x.limiter.Program.TakesCost() || x.limiter.Ends != nil && x.limiter.Ends.Program.TakesCost()
}

// spared returns the most that any rule admits: at once, and in a window.
func (x *examination) spared() (atOnce, perWindow int64) {
	return max(x.burst, x.admits), max(x.limit, min(x.admits, x.burst*2))
}

// over compares the number admitted in 1 to 16 windows with the most that any rule admits.
func (x *examination) over(p *outcome, _ []*outcome) *breach {
	burst, perWindow := x.spared()
	dearest := int64(1)
	for k := int64(1); k <= 16; k *= 2 {
		var sum int64
		for i, from := 0, 0; i < len(p.asks); i++ {
			if !p.got[i].Allowed() {
				continue
			}
			sum += p.asks[i].Cost
			dearest = max(dearest, p.asks[i].Cost)
			for ; p.asks[from].AtUS <= p.asks[i].AtUS-k*x.windowUS; from++ {
				if p.got[from].Allowed() {
					sum -= p.asks[from].Cost
				}
			}
			if most := max(burst+k*perWindow, (k+1)*perWindow) + dearest - 1; sum > most {
				end := p.of(p.asks[from : i+1])
				return &breach{kind: "over", fault: true, shown: p.of(p.asks[:i+1]), text: fmt.Sprintf(
					"it admits %d in %s, %.2f x the limit, and no rule admits more than %d", sum,
					report.Briefly(max(1, end.asks[i-from].AtUS-end.asks[0].AtUS)),
					float64(sum)/float64(k*x.limit), most)}
			}
		}
	}
	return nil
}

// conforms reports whether the play never asks for more than half of what any rule admits.
func (x *examination) conforms(p *play) bool {
	burst := min(x.admits, x.burst)
	half := sizes{limit: max(1, x.limit/2), atOnce: max(1, burst/2), windowUS: x.windowUS + 2*millisecond,
		tokenUS: 2 * x.tokenUS()}
	window := half
	window.atOnce = max(1, min(x.limit, x.admits)/2)
	if burst < 2 || x.limit < 2 {
		half.tokenUS = 2 * float64(max(x.windowUS, x.fillUS))
		window.windowUS, half.atOnce, window.atOnce = int64(half.tokenUS), 1, 1
	}
	b, l := &bucket{sizes: half}, &log{sizes: window}
	for _, q := range p.asks {
		cost := float64(q.Cost)
		if b.room(q.AtUS) < cost || l.room(q.AtUS) < cost {
			return false
		}
		b.took(q.AtUS, cost, true)
		l.took(q.AtUS, cost, true)
	}
	return true
}

// starves looks for a rejection in a play that asks for at most half of the limit.
func (x *examination) starves(p *outcome, _ []*outcome) *breach {
	n := int64(len(p.asks)) - p.admitted(0)
	if n == 0 {
		return nil
	}
	share := "at most half of the limit"
	if !x.conforms(p.play) {
		share = "62 % of the limit"
	}
	return &breach{kind: "starves", fault: true, shown: p.play,
		text: fmt.Sprintf("it rejects %d of %d, and that is %s", n, len(p.asks), share)}
}

// withoutRejected derives the play without the rejected requests. It keeps the last volley.
func (x *examination) withoutRejected(p *outcome) []*play {
	last := len(p.asks) - 1
	for last > 0 && p.asks[last].AtUS-p.asks[last-1].AtUS <= max(x.stepUS, 1) {
		last--
	}
	var asks []limit.Request
	for i, q := range p.asks {
		if i >= last || p.got[i].Allowed() || q.Cost > x.burst {
			asks = append(asks, q)
		}
	}
	if len(asks) == len(p.asks) {
		return nil
	}
	return []*play{p.of(asks)}
}

func (x *examination) rejectedMatter(p *outcome, d []*outcome) *breach {
	if len(d) == 0 {
		return nil
	}
	with, without := p.admitted(0), d[0].admitted(0)
	if abs(with-without) < max(2, x.burst/10) {
		return nil
	}
	if with < without {
		return &breach{kind: "counts_rejected", fault: true, shown: p.play, text: fmt.Sprintf(
			"it admits %d, and %d without the requests that it rejects", with, without)}
	}
	return &breach{kind: "refills_rejected", fault: true, shown: p.play, text: fmt.Sprintf(
		"it admits %d, and only %d without the requests that it rejects", with, without)}
}

// afterSilence derives two plays: burst + 1 requests after a silence after which every rule has forgotten, and the same
// on a new key.
func (x *examination) afterSilence(p *outcome) []*play {
	n := len(p.asks)
	gap := 2*max(x.windowUS, x.fillUS) + 2*second
	asked := x.burst + 1
	after := p.until(n-1, gap, asked, 1)
	fresh := &play{name: p.name, phaseUS: p.phaseUS + after.asks[n].AtUS, alignUS: p.alignUS}
	for _, q := range after.asks[n:] {
		q.AtUS -= after.asks[n].AtUS
		fresh.asks = append(fresh.asks, q)
	}
	return []*play{after, fresh}
}

func (x *examination) silence(p *outcome, d []*outcome) *breach {
	n := len(p.asks)
	got, fresh := d[0].admitted(n), d[1].admitted(0)
	if got == fresh {
		return nil
	}
	kind := "expires_late"
	if got > fresh {
		kind = "silence_gives"
	}
	return &breach{kind: kind, fault: true, shown: d[0].play, text: fmt.Sprintf(
		"it admits %d of the last %d, and %d of a new client's", got, x.burst+1, fresh)}
}

// chosen returns the indices of at most three decisions for which is returns true: the first, the last, and one more.
// That one is the first with the highest cost.
func (p *outcome) chosen(is func(limit.Request, limit.Decision) bool) (all []int) {
	for i, d := range p.got {
		if is(p.asks[i], d) {
			all = append(all, i)
		}
	}
	if n := len(all); n > 3 {
		one := slices.MaxFunc(all, func(i, k int) int { return cmp.Compare(p.asks[i].Cost, p.asks[k].Cost) })
		if one == all[0] {
			one = all[n*3/7]
		}
		all = []int{all[0], one, all[n-1]}
	}
	return all
}

// toldToWait returns the rejections whose retry-after is checked.
func (x *examination) toldToWait(p *outcome) []int {
	return p.chosen(func(q limit.Request, d limit.Decision) bool {
		return d.Verdict == limit.Rejected && q.Cost <= min(x.burst, x.admits)
	})
}

// longest returns a time after which any request is admitted.
func (x *examination) longest() int64 { return 2*max(x.windowUS, x.fillUS) + second }

// unit returns the unit to which a time was rounded.
func unit(us int64) int64 {
	if us%second == 0 {
		return second
	}
	return millisecond
}

// hinted derives plays that ask again after the retry-after of a rejection, and after three quarters of it.
func (x *examination) hinted(p *outcome) (all []*play) {
	for _, i := range x.toldToWait(p) {
		told, cost := p.got[i].RetryAfterUS, p.asks[i].Cost
		if told == limit.Never {
			told = x.longest()
		}
		all = append(all, p.until(i, told+millisecond, 1, cost),
			p.until(i, max(1, told*3/4-unit(told)), 1, cost))
	}
	return all
}

func (x *examination) hints(p *outcome, d []*outcome) (found *breach) {
	for k, i := range x.toldToWait(p) {
		told := p.got[i].RetryAfterUS
		passes, early := d[2*k].admitted(i+1) == 1, d[2*k+1].admitted(i+1) == 1
		switch {
		case told == limit.Never && passes:
			return &breach{kind: "retry_after", fault: true, shown: d[2*k].play,
				text: fmt.Sprintf("its retry-after is never, but after %s the request passes",
					report.Briefly(x.longest()))}
		case told == limit.Never:
		case told == 0 && !passes:
			return &breach{kind: "retry_after", fault: true, shown: p.of(p.asks[:i+1]),
				text: "it rejects the last request with a retry-after of 0s"}
		case !passes:
			return &breach{kind: "retry_after", fault: true, shown: d[2*k].play,
				text: fmt.Sprintf("after it was told to wait %s, the last is rejected again", report.Briefly(told))}
		case early && told/4 > unit(told)+x.toleranceUS() && found == nil:
			late := told/4 + unit(told)
			found = &breach{kind: "retry_late", fault: late > max(2*second, x.windowUS/10), shown: d[2*k+1].play,
				text: fmt.Sprintf("told to wait %s, the last passes after %s", report.Briefly(told),
					report.Briefly(told*3/4-unit(told)))}
		}
	}
	return found
}

// whatRemains derives plays that ask for everything that a reply says remains, at the same instant.
func (x *examination) whatRemains(p *outcome) (all []*play) {
	for _, i := range x.toldLeft(p) {
		n, cost := p.got[i].Remaining, int64(1)
		if x.takesCost() {
			n, cost = 1, n
		}
		all = append(all, p.until(i, 1, n, cost))
	}
	return all
}

func (x *examination) toldLeft(p *outcome) []int {
	return p.chosen(func(_ limit.Request, d limit.Decision) bool { return d.Remaining > 0 && d.Remaining <= 4*x.burst })
}

func (x *examination) remains(p *outcome, d []*outcome) *breach {
	for k, i := range x.toldLeft(p) {
		told := p.got[i].Remaining
		if got := d[k].admitted(i + 1); got < int64(len(d[k].asks)-i-1) {
			return &breach{kind: "remaining", fault: true, shown: d[k].play,
				text: fmt.Sprintf("it says that %d remain, but does not admit them", told)}
		}
	}
	return nil
}

// afterReset derives plays that ask for everything after the time until the burst is full again, and after three
// quarters of it.
func (x *examination) afterReset(p *outcome) (all []*play) {
	for _, i := range x.toldReset(p) {
		told := p.got[i].ResetAfterUS
		all = append(all, p.until(i, told+millisecond, x.admits+1, 1), p.until(i, told*3/4, x.admits+1, 1))
	}
	return all
}

func (x *examination) toldReset(p *outcome) []int {
	return p.chosen(func(limit.Request, limit.Decision) bool { return true })
}

func (x *examination) resets(p *outcome, d []*outcome) *breach {
	for k, i := range x.toldReset(p) {
		told := p.got[i].ResetAfterUS
		full, early := d[2*k].admitted(i+1), d[2*k+1].admitted(i+1)
		if full < x.admits {
			return &breach{kind: "reset_after", fault: true, shown: d[2*k].play, text: fmt.Sprintf(
				"it says that the burst is back after %s, but then admits %d", report.Briefly(told), full)}
		}
		if early >= x.admits && told/4 > 2*x.toleranceUS()+int64(x.tokenUS()) {
			return &breach{kind: "reset_after", shown: d[2*k+1].play, text: fmt.Sprintf(
				"it says that the burst is back after %s, but admits it after three quarters of that",
				report.Briefly(told))}
		}
	}
	return nil
}

// ignoresCost looks for requests at one instant that together cost more than the limit.
func (x *examination) ignoresCost(p *outcome, _ []*outcome) *breach {
	var sum int64
	for i, q := range p.asks {
		if i > 0 && q.AtUS-p.asks[i-1].AtUS > max(x.stepUS, 1) {
			return nil
		}
		if p.got[i].Allowed() && q.Cost <= x.burst {
			sum += q.Cost
		}
		if q.Cost > 1 && sum > max(x.burst, x.admits)+q.Cost-1 {
			why := "although its binding passes the cost"
			if !x.takesCost() {
				why = "since its binding has no {cost}"
			}
			return &breach{kind: "ignores_cost", fault: true, shown: p.of(p.asks[:i+1]),
				text: fmt.Sprintf("it admits a cost of %d at once, and the limit is %d, %s", sum, x.burst, why)}
		}
	}
	return nil
}

// costOverBurst looks for an admitted request whose cost exceeds the most that may come at once.
func (x *examination) costOverBurst(p *outcome, _ []*outcome) *breach {
	for i, q := range p.asks {
		if p.got[i].Allowed() && q.Cost > max(x.burst, x.admits) {
			return &breach{kind: "cost_over_burst", fault: true, shown: p.of(p.asks[:i+1]),
				text: fmt.Sprintf("the last passes, and the most at once is %d", x.burst)}
		}
	}
	return nil
}

// fractions and calm name plays that have their own laws: requests 1.9 token intervals apart, and requests at 62 % of
// the limit.
const fractions, calm = "fractions", "62 % evenly"

// losesFraction checks whether the script keeps the fraction of a token that is earned between two admitted requests.
func (x *examination) losesFraction(p *outcome, _ []*outcome) *breach {
	passed := p.admitted(0)
	v := p.volleys
	if len(v) < 3 {
		return nil
	}
	first, n := v[0].n, v[1].n
	kept := p.admitted(int(first + n))
	passed -= kept
	earned := min(x.admits, v[2].n-1, int64(float64(n*v[1].gapUS+v[2].gapUS)/x.tokenUS())-n)
	if passed < first+n || earned < 4 || 3*kept >= 2*earned {
		return nil
	}
	return &breach{kind: "loses_fraction", fault: true, shown: p.play,
		text: fmt.Sprintf("it admits %d of the last, and %d were earned", kept, earned)}
}

// equalClocks derives the play with correct clocks.
func (x *examination) equalClocks(p *outcome) []*play {
	q := p.of(nil)
	for _, a := range p.asks {
		a.ClientSkewUS, a.ServerSkewUS = 0, 0
		q.asks = append(q.asks, a)
	}
	return []*play{q}
}

func (x *examination) clientClock(p *outcome, d []*outcome) *breach {
	skew := int64(0)
	for _, q := range p.asks {
		if abs(q.ClientSkewUS+q.ServerSkewUS) > abs(skew) {
			skew = q.ClientSkewUS + q.ServerSkewUS
		}
	}
	third := len(p.asks) / 3
	if skew > 0 || p.has(func(q limit.Request) bool { return q.ServerSkewUS != 0 }) {
		with, right := p.admitted(2*third), d[0].admitted(2*third)
		whose := "client's clock was ahead by"
		if skew < 0 {
			whose = "server's clock stepped back by"
		}
		if right < 2 || 2*with >= right {
			return nil
		}
		return &breach{kind: "clock_ahead", shown: d[0].play, text: fmt.Sprintf(
			"it admits %d of the last %d, and %d if no %s %s before", with, len(p.asks)-2*third, right, whose,
			report.Span(abs(skew)))}
	}
	with, right := p.admitted(third), d[0].admitted(third)
	ratio := float64(with) / float64(max(1, right))
	must := 2 * float64(-skew) / float64(x.windowUS)
	if x.seconds {
		must += 2 * float64(second) / float64(x.windowUS)
	}
	if right == 0 || with < right+2 || ratio <= 1.05+must {
		return nil
	}
	return &breach{kind: "client_clock", fault: true, shown: p.play, behindUS: -skew, text: fmt.Sprintf(
		"of two clients, one with its clock behind by %s, it admits %.2f times as much as with right clocks",
		report.Span(-skew), ratio)}
}

func abs(n int64) int64 { return max(n, -n) }

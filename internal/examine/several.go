package examine

import (
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// mostAcross is the most requests of a play about two limits. Limits that need more requests are not examined.
const mostAcross = 4000

// across looks for effects of several limits on each other. It checks two laws. First, a request that one limit refuses
// takes nothing from another limit: without such requests, the script admits the same later requests. Second, a client
// that waits for retry_after is admitted. If one call decides by all limits, the script can keep both laws, so a breach
// is a fault. If there is one call for each limit, a breach is a property of the order.
func (x *examination) across() error {
	l, err := x.Several()
	if err != nil {
		return err
	}
	plays := 0
	for i := range l.Limits {
		for j := range l.Limits {
			if i == j {
				continue
			}
			n, err := x.chargedInVain(l, i, j)
			if err != nil {
				return err
			}
			m, err := x.toldByAnother(l, i, j)
			if err != nil {
				return err
			}
			plays += n + m
		}
	}
	x.found.Checked = append(x.found.Checked, fmt.Sprintf("several limits (%d plays)", plays))
	return nil
}

// filling returns how many requests of which cost use up limit i and leave room in limit j. n is 0 if limit j is used
// up first.
func filling(i, j *limit.Limit) (n, cost int64) {
	n, cost = i.Capacity(), 1
	switch {
	case !i.CountsRequests:
		cost = max(1, i.Capacity()/10)
		n = i.Capacity() / cost
	case !j.CountsRequests:
		cost = max(1, j.Capacity()/(4*n))
	}
	if counted(j, n, cost) >= j.Capacity() || n > mostAcross {
		return 0, cost
	}
	return n, cost
}

// counted returns the sum that a limit counts for n requests of the given cost.
func counted(l *limit.Limit, n, cost int64) int64 {
	if l.CountsRequests {
		return n
	}
	return n * cost
}

// chargedInVain uses up limit i, sends further requests in the middle of the window, and asks again after the window.
// It then plays the same requests without the rejected ones. Both plays must admit equally many of the last requests.
func (x *examination) chargedInVain(l *limiter.Limiter, i, j int) (plays int, err error) {
	a, b := &l.Limits[i], &l.Limits[j]
	n, cost := filling(a, b)
	more := (b.Capacity()-counted(b, n, cost))/counted(b, 1, cost) + 1
	half := a.WindowUS() / 2
	if n == 0 || n+more > mostAcross || half <= n+more {
		return 0, nil
	}
	p := play{name: "across", phaseUS: millisecond, alignUS: max(a.WindowUS(), b.WindowUS()), volleys: []volley{
		{n: n, cost: cost}, {gapUS: half - n, n: more, cost: cost},
		{gapUS: half + millisecond - more, n: n, cost: cost}}}.expanded()
	with, err := x.decide(l, []*play{p})
	if err != nil {
		return 0, err
	}
	last := len(p.asks) - int(n)
	var kept []limit.Request
	for k, q := range p.asks {
		if k >= last || with[0].got[k].Allowed() {
			kept = append(kept, q)
		}
	}
	without, err := x.decide(l, []*play{p.of(kept)})
	if err != nil {
		return 0, err
	}
	got, could := with[0].admitted(last), without[0].admitted(len(kept)-int(n))
	if got >= could || x.has("charges_others") {
		return 2, nil
	}
	f := x.say(l.Each == nil, "charges_others", p, "%s: it admits %d of the last %d, and %d without the %d that it "+
		"rejected before: %s is charged for what %s refuses", inWords(p), got, n, could, len(p.asks)-len(kept), b, a)
	f.Limits = named(l.Limits)
	return 2, nil
}

// toldByAnother uses up both limits. Limit j has the longer window. A client that then waits for retry_after must be
// admitted.
func (x *examination) toldByAnother(l *limiter.Limiter, i, j int) (plays int, err error) {
	a, b := &l.Limits[i], &l.Limits[j]
	n, cost := filling(a, b)
	if n == 0 || !l.Programs()[0].TellsRetry {
		return 0, nil
	}
	total := b.Capacity() / counted(b, 1, cost)
	rounds := (total + n - 1) / n
	if total > mostAcross || (rounds+1)*(a.WindowUS()+second) > b.WindowUS() {
		return 0, nil
	}
	p := play{name: "across", phaseUS: millisecond, alignUS: b.WindowUS()}
	for left := total; left > 0; left -= n {
		p.volleys = append(p.volleys, volley{gapUS: a.WindowUS() + millisecond, n: min(n, left), cost: cost})
	}
	p.volleys = append(p.volleys, volley{gapUS: 1, n: n + 1, cost: cost})
	full := p.expanded()
	got, err := x.decide(l, []*play{full})
	if err != nil {
		return 0, err
	}
	last := len(full.asks) - 1
	told := got[0].got[last].RetryAfterUS
	if got[0].got[last].Allowed() || told <= 0 {
		return 1, nil
	}
	again := full.until(last, told+millisecond, 1, cost)
	after, err := x.decide(l, []*play{again})
	if err != nil {
		return 0, err
	}
	if after[0].got[last+1].Allowed() || x.has("retry_others") {
		return 2, nil
	}
	f := x.say(l.Each == nil, "retry_others", again, "%s and %s are used up; after the told wait of %s, the "+
		"last is rejected again", a, b, report.Briefly(told))
	f.Limits = named(l.Limits)
	return 2, nil
}

func named(limits []limit.Limit) (all []result.NamedLimit) {
	for _, l := range limits {
		all = append(all, result.NamedLimitOf(l))
	}
	return all
}

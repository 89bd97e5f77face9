package examine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/virtualtime"
)

// The keys in findings: of most requests, and of the one other client.
const key, another = "k0", "k1"

const millisecond, second = int64(1000), int64(1_000_000)

// volley is a series of requests at equal intervals, after a silence.
type volley struct {
	gapUS, n, stepUS, cost int64
	other                  bool  // sent by another client
	skewUS                 int64 // the client's clock is ahead by this
	backUS                 int64 // by which the server's clock is behind
}

// play is traffic of one client, or of two. It has its own keys.
type play struct {
	name    string
	phaseUS int64 // from the beginning of a window on the clock to the first request
	alignUS int64 // length of that window; 0: the limit's window
	volleys []volley
	asks    []limit.Request // the volleys, request by request; AtUS counts from the first one
}

// expanded returns the play with its single requests. No two requests are in the same microsecond: a server never runs
// two scripts at the same microsecond.
func (p play) expanded() *play {
	p.asks = nil
	at := int64(0)
	for _, v := range p.volleys {
		at += v.gapUS
		for i := range v.n {
			if i > 0 {
				at += max(1, v.stepUS)
			}
			if last := len(p.asks) - 1; last >= 0 && p.asks[last].AtUS >= at {
				at = p.asks[last].AtUS + 1
			}
			q := limit.Request{AtUS: at, Key: key, Cost: max(1, v.cost), ClientSkewUS: v.skewUS,
				ServerSkewUS: -v.backUS}
			if v.other {
				q.Key = another
			}
			p.asks = append(p.asks, q)
		}
	}
	return &p
}

// of returns a play with other requests, but the same name and phase as p.
func (p *play) of(asks []limit.Request) *play {
	return &play{name: p.name, phaseUS: p.phaseUS, alignUS: p.alignUS, asks: asks}
}

// until returns the play up to request i, followed by n requests with a cost after a silence.
func (p *play) until(i int, gapUS, n, cost int64) *play {
	asks := slices.Clone(p.asks[:i+1])
	at := asks[i].AtUS + gapUS
	for range n {
		at = max(at, asks[len(asks)-1].AtUS+1)
		asks = append(asks, limit.Request{AtUS: at, Key: key, Cost: cost})
	}
	return p.of(asks)
}

// has reports whether is holds for any request.
func (p *play) has(is func(limit.Request) bool) bool { return slices.ContainsFunc(p.asks, is) }

func costly(q limit.Request) bool { return q.Cost > 1 }
func skewed(q limit.Request) bool { return q.ClientSkewUS != 0 || q.ServerSkewUS != 0 }
func others(q limit.Request) bool { return q.Key != key }

// outcome is a play with the script's decisions.
type outcome struct {
	*play
	got     []limit.Decision
	startUS int64               // when the first request was sent, since the start of the batch
	derived map[*law][]*outcome // the plays that each law derived
}

// admitted returns how many requests were admitted, from request from on.
func (p *outcome) admitted(from int) (n int64) {
	for i := from; i < len(p.got); i++ {
		if p.got[i].Allowed() {
			n++
		}
	}
	return n
}

// standard is the plan for all plays.
var standard = &run.Plan{Scenario: &scenario.Scenario{Start: scenario.DefaultStart}}

// mostRequests and mostUS limit a batch of decisions.
const (
	mostRequests = 60_000
	mostUS       = 8 * 365 * 24 * 3600 * second
)

// decide lets the script decide all plays, one after the other on one time line. Each play has its own keys.
func (x *examination) decide(l *limiter.Limiter, plays []*play) ([]*outcome, error) {
	all := make([]*outcome, 0, len(plays))
	for len(plays) > 0 {
		var requests []limit.Request
		var batch []*outcome
		line := int64(0)
		for len(plays) > 0 && (len(batch) == 0 || len(requests)+len(plays[0].asks) < mostRequests && line < mostUS) {
			p := plays[0]
			plays = plays[1:]
			start := line + x.untilPhase(line, p)
			one := &outcome{play: p, startUS: start}
			for _, q := range p.asks {
				q.AtUS += start
				q.Key = fmt.Sprintf("%s-%d", q.Key, len(batch))
				if x.endAtOnce && q.TakesUS == 0 {
					q.TakesUS = 1
				}
				requests = append(requests, q)
			}
			if n := len(p.asks); n > 0 {
				line = start + p.asks[n-1].AtUS + second
			}
			batch = append(batch, one)
		}
		got, err := x.ask(l, requests)
		if err != nil {
			return nil, err
		}
		for _, p := range batch {
			p.got, got = got[:len(p.asks)], got[len(p.asks):]
		}
		all = append(all, batch...)
	}
	return all, nil
}

// untilPhase returns how long after atUS the clock reaches the play's phase.
func (x *examination) untilPhase(atUS int64, p *play) int64 {
	length := p.alignUS
	if length == 0 {
		length = x.windowUS
	}
	now := (scenario.DefaultStart.UnixMicro() + atUS) % length
	return (p.phaseUS%length - now + length) % length
}

// ask lets the script decide on an empty server. If a limiter may hide errors of the server, its run.Script has a
// method Ignored. It returns the first hidden error, or "".
func (x *examination) ask(l *limiter.Limiter, requests []limit.Request) ([]limit.Decision, error) {
	got := make([]limit.Decision, len(requests))
	s, err := run.Open(x.ctx, x.Engine, standard, l)
	if err == nil {
		err = s.Decide(x.ctx, requests, got)
	}
	if err != nil && x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	if err != nil {
		return nil, err // ends the examination
	}
	x.decisions += int64(len(requests))
	for _, d := range got {
		x.delayUS = max(x.delayUS, d.DelayUS)
		x.tellsRemaining = x.tellsRemaining || d.Remaining > 0
		x.tellsReset = x.tellsReset || d.ResetAfterUS > 0
	}
	if x.left, err = s.Left(x.ctx, requests[len(requests)-1].AtUS); err != nil {
		return nil, err
	}
	x.endless = x.endless || x.left.WithoutTTL > 0
	if l, ok := s.(interface{ Ignored() string }); ok && l.Ignored() != "" && x.ignored == "" {
		x.ignored = l.Ignored()
	}
	if named, ok := s.(interface{ Names() []string }); ok && len(requests) == 1 {
		x.names, x.namedAtUS = named.Names(), requests[0].AtUS
	}
	return got, x.Engine.Clean(x.ctx, nil)
}

// callError returns the error if it is an error of a call, or nil.
func callError(err error) *virtualtime.CallError {
	failed, _ := errors.AsType[*virtualtime.CallError](err)
	return failed
}

// traffic returns the play's requests for a scenario: AtUS counts from the scenario's start, and the play has its phase
// on the clock.
func (x *examination) traffic(p *play) []limit.Request {
	all := slices.Clone(p.asks)
	start := x.untilPhase(0, p)
	for i := range all {
		all[i].AtUS += start
	}
	return all
}

// volleys groups requests at equal intervals.
func volleys(all []limit.Request) []result.Volley {
	list := []result.Volley{}
	for i := 0; i < len(all); {
		q, n, step := all[i], 1, int64(0)
		for ; i+n < len(all) && sameKind(all[i+n], q); n++ {
			gap := all[i+n].AtUS - all[i+n-1].AtUS
			if n > 1 && gap != step {
				if gap < step { // the last request begins the next series, so that the series do not overlap
					n--
				}
				break
			}
			step = gap
		}
		if n == 1 || n == 2 && i+n < len(all) { // two are not a series, and the second may begin one
			n, step = 1, 0
		}
		list = append(list, result.Volley{AtUS: q.AtUS, Requests: int64(n), EveryUS: step, AtOnce: 1, Key: q.Key,
			Cost: q.Cost, TakesUS: q.TakesUS, Actual: q.Actual, Dies: q.Dies})
		i += n
	}
	return list
}

// sameKind reports whether two requests differ only in their time.
func sameKind(a, b limit.Request) bool {
	a.AtUS = b.AtUS
	return a == b
}

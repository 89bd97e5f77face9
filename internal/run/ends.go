package run

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// inFlight reports whether the plan's limit is on requests in flight.
func (p *Plan) inFlight() bool { return p.Policy.Contract == limit.ByFlight }

// settles reports whether the cost of the plan's requests is known only at their end.
func (p *Plan) settles() bool { return p.Scenario.HasActual() && !p.inFlight() }

// caller starts and ends requests.
type caller interface {
	start(ctx context.Context, requests []limit.Request, first int64, decisions []limit.Decision) error
	// end ends admitted requests, which have Ended. held has a decision for each: allowed if the limiter knew it.
	end(ctx context.Context, requests []limit.Request, held []limit.Decision) error
}

// ending is a Decider that ends the requests that it admits. Ends at the time of a start come before the start. Those
// after the last start are not played.
type ending struct {
	*limiter.Ends
	caller
	startUS int64 // of the run, since 1970
	outages []limit.Outage
	open    openRequests
	number  int64 // of the next request
	tally   endTally
	starts  []limit.Request
	ended   []limit.Request
	held    []limit.Decision
}

// endTally counts what a row with ends did.
type endTally struct{ starts, ends, late, renewalsLost, reserved, spent, tooLarge int64 }

func (t *endTally) add(o endTally) {
	t.starts, t.ends, t.late = t.starts+o.starts, t.ends+o.ends, t.late+o.late
	t.renewalsLost += o.renewalsLost
	t.reserved, t.spent, t.tooLarge = t.reserved+o.reserved, t.spent+o.spent, t.tooLarge+o.tooLarge
}

// Decide decides requests up to the first possible end of one of them, then the ends, and so on.
func (e *ending) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for len(requests) > 0 {
		if err := e.endUntil(ctx, requests[0].AtUS); err != nil {
			return err
		}
		n, next := 0, int64(1)<<62
		if len(e.open) > 0 {
			next = e.open[0].AtUS
		}
		e.starts = e.starts[:0]
		for n < len(requests) && requests[n].AtUS < next {
			q := requests[n]
			if q.TakesUS > 0 {
				next = min(next, q.AtUS+q.TakesUS)
			}
			if e.RenewUS > 0 {
				next = min(next, q.AtUS+e.RenewUS)
			}
			q.Cost = e.Reserved(&q)
			e.starts = append(e.starts, q)
			n++
		}
		if err := e.start(ctx, e.starts, e.number, decisions[:n]); err != nil {
			return err
		}
		for i, q := range requests[:n] {
			e.admit(q, e.starts[i].Cost, decisions[i])
			e.number++
		}
		requests, decisions = requests[n:], decisions[n:]
	}
	return nil
}

// admit records a decision, and the end of an admitted request.
func (e *ending) admit(q limit.Request, reserved int64, d limit.Decision) {
	e.tally.starts++
	if reserved > 0 && d.RetryAfterUS == limit.Never && d.Verdict == limit.Rejected {
		e.tally.tooLarge++
	}
	if !d.Allowed() {
		return
	}
	e.tally.reserved, e.tally.spent = e.tally.reserved+reserved, e.tally.spent+q.Spent()
	ending := limit.Ending{Number: e.number, StartUS: e.startUS + q.AtUS + q.ServerSkewUS, Reserved: reserved,
		Actual: q.Spent(), Reply: d.Reply}
	if q.TakesUS == 0 { // it never ends
		return
	}
	end := q
	end.AtUS, end.Cost = q.AtUS+q.TakesUS, reserved
	if e.RenewUS > 0 && q.AtUS+e.RenewUS < end.AtUS {
		renewal := end
		renewal.AtUS, renewal.TakesUS = q.AtUS+e.RenewUS, end.AtUS-q.AtUS-e.RenewUS
		first := ending
		first.Renewal = 1
		renewal.Ended = &first
		heap.Push(&e.open, renewal)
	}
	if !q.Dies {
		end.Ended = &ending
		heap.Push(&e.open, end)
		if e.Twice {
			heap.Push(&e.open, end)
		}
	}
}

// renewAgain adds the next renewal of a request that was just renewed.
func (e *ending) renewAgain(q limit.Request) {
	if q.TakesUS <= e.RenewUS {
		return
	}
	next := *q.Ended
	next.Renewal++
	q.AtUS, q.TakesUS, q.Ended = q.AtUS+e.RenewUS, q.TakesUS-e.RenewUS, &next
	heap.Push(&e.open, q)
}

// endUntil ends and renews the requests that are due at atUS or before. Ends, or renewals, that follow each other are
// one batch. A renewal follows the previous one of its request only if that was held.
func (e *ending) endUntil(ctx context.Context, atUS int64) error {
	for len(e.open) > 0 && e.open[0].AtUS <= atUS {
		renews, before := e.open[0].Ended.Renewal > 0, int64(1)<<62
		if renews {
			before = e.open[0].AtUS + e.RenewUS
		}
		e.ended = e.ended[:0]
		for len(e.open) > 0 && e.open[0].AtUS <= min(atUS, before-1) && e.open[0].Ended.Renewal > 0 == renews {
			e.ended = append(e.ended, heap.Pop(&e.open).(limit.Request))
		}
		e.ended = e.reached(e.ended)
		if len(e.ended) == 0 {
			continue
		}
		for len(e.held) < len(e.ended) {
			e.held = append(e.held, limit.Decision{})
		}
		e.tally.ends += int64(len(e.ended))
		if err := e.end(ctx, e.ended, e.held[:len(e.ended)]); err != nil {
			return err
		}
		for i, d := range e.held[:len(e.ended)] {
			switch {
			case renews && d.Allowed():
				e.renewAgain(e.ended[i])
			case renews:
				e.tally.renewalsLost++
			case !d.Allowed():
				e.tally.late++
			}
		}
	}
	return nil
}

// cancel frees what the last request got, because another limit refused it.
func (e *ending) cancel(ctx context.Context, q limit.Request) error {
	number := e.number - 1
	e.open = slices.DeleteFunc(e.open, func(o limit.Request) bool { return o.Ended.Number == number })
	heap.Init(&e.open)
	q.Ended = &limit.Ending{Number: number, StartUS: e.startUS + q.AtUS + q.ServerSkewUS, Reserved: q.Cost,
		Actual: q.Cost}
	return e.end(ctx, []limit.Request{q}, make([]limit.Decision, 1))
}

// reached returns the ends and renewals that reach the server. In an outage they are lost; holders renew again later.
func (e *ending) reached(all []limit.Request) []limit.Request {
	if len(e.outages) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(q limit.Request) bool {
		lost := slices.ContainsFunc(e.outages,
			func(o limit.Outage) bool { return o.FromUS <= q.AtUS && q.AtUS < o.UntilUS })
		if lost && q.Ended.Renewal > 0 {
			e.renewAgain(q)
		}
		return lost
	})
}

// openRequests are the ends and renewals of open requests, the earliest first. At one instant ends come before
// renewals, and equals are in the order of their numbers.
type openRequests []limit.Request

func (o openRequests) Len() int { return len(o) }
func (o openRequests) Less(i, j int) bool {
	a, b := o[i].Ended, o[j].Ended
	return cmp.Or(cmp.Compare(o[i].AtUS, o[j].AtUS), cmp.Compare(min(a.Renewal, 1), min(b.Renewal, 1)),
		cmp.Compare(a.Number, b.Number)) < 0
}
func (o openRequests) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *openRequests) Push(x any)   { *o = append(*o, x.(limit.Request)) }
func (o *openRequests) Pop() any {
	old := *o
	x := old[len(old)-1]
	*o = old[:len(old)-1]
	return x
}

// tracking lets a Go model decide.
type tracking struct {
	limit.Tracker
	startUS int64
}

func (t *tracking) start(_ context.Context, requests []limit.Request, first int64, decisions []limit.Decision) error {
	for i := range requests {
		q := &requests[i]
		now := t.startUS + q.AtUS
		decisions[i] = t.Start(now+q.ServerSkewUS, now+q.ClientSkewUS, q.Key, q.Cost, first+int64(i))
	}
	return nil
}

func (t *tracking) end(_ context.Context, requests []limit.Request, held []limit.Decision) error {
	for i := range requests {
		q := &requests[i]
		now := t.startUS + q.AtUS
		held[i] = limit.Decision{}
		if t.End(now+q.ServerSkewUS, now+q.ClientSkewUS, q.Key, *q.Ended) {
			held[i].Verdict = limit.Allowed
		}
	}
	return nil
}

// endingScript is a Script that ends the requests that it admits.
type endingScript struct {
	ending
	starts, ends, renews Script
}

func (s *endingScript) start(ctx context.Context, requests []limit.Request, _ int64,
	decisions []limit.Decision) error {
	return s.starts.Decide(ctx, requests, decisions)
}

func (s *endingScript) end(ctx context.Context, requests []limit.Request, held []limit.Decision) error {
	if requests[0].Ended.Renewal > 0 {
		return s.renews.Decide(ctx, requests, held)
	}
	return s.ends.Decide(ctx, requests, held)
}

// Left counts the keys of both calls.
func (s *endingScript) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	return s.starts.Left(ctx, atUS)
}

// Calls adds up both calls. Decisions counts requests.
func (s *endingScript) Calls() virtualtime.Calls {
	all := s.starts.Calls()
	all.Scripts = all.Decisions
	for _, other := range []Script{s.ends, s.renews} {
		if other != nil {
			more := other.Calls()
			all.Scripts, all.Total = all.Scripts+more.Decisions, all.Total+more.Total
		}
	}
	return all
}

// newEnding returns a Decider on a Go model.
func newEnding(l *limiter.Limiter, p *Plan) *ending {
	us := p.Scenario.Start.UnixMicro()
	return &ending{Ends: l.Ends, caller: &tracking{l.Ends.NewTracker(), us}, startUS: us, outages: p.Scenario.Outages}
}

// besider is a Script that can open another call on the same keys.
type besider interface {
	Beside(program *script.Program) (Script, error)
}

// beside opens another call of a limiter on the keys of s.
func beside(s Script, l *limiter.Limiter, program *script.Program) (Script, error) {
	b, ok := s.(besider)
	if !ok {
		return nil, fmt.Errorf("%s: this server cannot play requests that end", l.Label)
	}
	return b.Beside(program)
}

// withEnds opens the call at the end beside a script.
func withEnds(s Script, l *limiter.Limiter, p *Plan) (Script, error) {
	ends, err := beside(s, l, l.Ends.Program)
	if err != nil {
		return nil, err
	}
	all := &endingScript{starts: s, ends: ends}
	if l.Ends.Renew != nil {
		if all.renews, err = beside(s, l, l.Ends.Renew); err != nil {
			return nil, err
		}
	}
	all.ending = ending{Ends: l.Ends, caller: all, startUS: p.Scenario.Start.UnixMicro(),
		outages: p.Scenario.Outages}
	return all, nil
}

// describeEnds adds the figures about ends of a row.
func (r *row) describeEnds(all *measure.Figures, p *Plan) {
	var sum endTally
	for _, e := range r.endings {
		sum.add(e.tally)
	}
	if sum.starts == 0 {
		return
	}
	calls := float64(sum.starts+sum.ends) / float64(sum.starts)
	all.Ends = &measure.Ends{Calls: calls, Late: sum.late, RenewalsLost: sum.renewalsLost}
	if sum.spent > 0 && p.settles() {
		share := float64(sum.reserved) / float64(sum.spent)
		all.ReservedShare = &share
	}
	if p.settles() {
		r.tooLarge = sum.tooLarge
	}
}

var _ replay.Decider = (*ending)(nil)

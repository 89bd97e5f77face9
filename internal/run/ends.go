package run

import (
	"container/heap"
	"context"
	"fmt"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// settles reports whether the cost of the plan's requests is known only at their end.
func (p *Plan) settles() bool { return p.Scenario.HasActual() }

// tokenRows returns the rows of a run whose costs are known at the end of requests.
func tokenRows() (all []algorithms.Choice) {
	add := func(label string, set map[string]string) {
		if c, err := algorithms.Choose(label, set); err == nil {
			all = append(all, c)
		}
	}
	add("log-tokens", nil)
	add("log-tokens", map[string]string{"reserve": "none"})
	for _, c := range algorithms.Defaults() {
		switch {
		case algorithms.IsFloor(c.Label) || c.Algorithm.Family == "shaper":
		case c.CanSettle():
			add(c.Label, nil)
			add(c.Label, map[string]string{"reserve": "none"})
		default:
			add(c.Label, map[string]string{"settle": "no"})
		}
	}
	return all
}

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
	open    openRequests
	number  int64 // of the next request
	tally   endTally
	starts  []limit.Request
	ended   []limit.Request
	held    []limit.Decision
}

// endTally counts what a row with ends did.
type endTally struct{ starts, ends, late, reserved, spent, tooLarge int64 }

func (t *endTally) add(o endTally) {
	t.starts, t.ends, t.late = t.starts+o.starts, t.ends+o.ends, t.late+o.late
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
			next = min(next, q.AtUS+max(1, q.TakesUS))
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
	if d.RetryAfterUS == limit.Never && d.Verdict == limit.Rejected {
		e.tally.tooLarge++
	}
	if !d.Allowed() {
		return
	}
	e.tally.reserved, e.tally.spent = e.tally.reserved+reserved, e.tally.spent+q.Spent()
	end := q
	end.AtUS, end.Cost = q.AtUS+max(1, q.TakesUS), reserved
	end.Ended = &limit.Ending{Number: e.number, StartUS: e.startUS + q.AtUS + q.ServerSkewUS, Reserved: reserved,
		Actual: q.Spent()}
	heap.Push(&e.open, end)
}

// endUntil ends the requests that end at atUS or before.
func (e *ending) endUntil(ctx context.Context, atUS int64) error {
	e.ended = e.ended[:0]
	for len(e.open) > 0 && e.open[0].AtUS <= atUS {
		e.ended = append(e.ended, heap.Pop(&e.open).(limit.Request))
	}
	if len(e.ended) == 0 {
		return nil
	}
	for len(e.held) < len(e.ended) {
		e.held = append(e.held, limit.Decision{})
	}
	e.tally.ends += int64(len(e.ended))
	err := e.end(ctx, e.ended, e.held[:len(e.ended)])
	for _, d := range e.held[:len(e.ended)] {
		if !d.Allowed() {
			e.tally.late++
		}
	}
	return err
}

// openRequests are the ends of open requests, the earliest first, and among equals by number.
type openRequests []limit.Request

func (o openRequests) Len() int { return len(o) }
func (o openRequests) Less(i, j int) bool {
	return o[i].AtUS < o[j].AtUS || o[i].AtUS == o[j].AtUS && o[i].Ended.Number < o[j].Ended.Number
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
	starts, ends Script
}

func (s *endingScript) start(ctx context.Context, requests []limit.Request, _ int64,
	decisions []limit.Decision) error {
	return s.starts.Decide(ctx, requests, decisions)
}

func (s *endingScript) end(ctx context.Context, requests []limit.Request, held []limit.Decision) error {
	return s.ends.Decide(ctx, requests, held)
}

// Left counts the keys of both calls.
func (s *endingScript) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	return s.starts.Left(ctx, atUS)
}

// Calls adds up both calls. Decisions counts requests.
func (s *endingScript) Calls() virtualtime.Calls {
	all, more := s.starts.Calls(), s.ends.Calls()
	all.Scripts, all.Total = all.Decisions+more.Decisions, all.Total+more.Total
	return all
}

// newEnding returns a Decider on a Go model.
func newEnding(ends *limiter.Ends, start time.Time) *ending {
	us := start.UnixMicro()
	return &ending{Ends: ends, caller: &tracking{ends.NewTracker(), us}, startUS: us}
}

// besider is a Script that can open another call on the same keys.
type besider interface {
	Beside(program *script.Program) (Script, error)
}

// withEnds opens the call at the end beside a script.
func withEnds(s Script, l *limiter.Limiter, p *Plan) (Script, error) {
	beside, ok := s.(besider)
	if !ok {
		return nil, fmt.Errorf("%s: this server cannot play requests that end", l.Label)
	}
	ends, err := beside.Beside(l.Ends.Program)
	if err != nil {
		return nil, err
	}
	all := &endingScript{starts: s, ends: ends}
	all.ending = ending{Ends: l.Ends, caller: all, startUS: p.Scenario.Start.UnixMicro()}
	return all, nil
}

// describeEnds adds the figures about ends of a row.
func (r *row) describeEnds(all *measure.Figures) {
	var sum endTally
	for _, e := range r.endings {
		sum.add(e.tally)
	}
	if sum.starts == 0 {
		return
	}
	calls := float64(sum.starts+sum.ends) / float64(sum.starts)
	all.Ends = &measure.Ends{Calls: calls, Late: sum.late}
	if sum.spent > 0 {
		share := float64(sum.reserved) / float64(sum.spent)
		all.ReservedShare = &share
	}
	r.tooLarge = sum.tooLarge
}

var _ replay.Decider = (*ending)(nil)

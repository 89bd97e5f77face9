package bench

import (
	"context"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// lateAfter is how long a request may wait for a connection before a scenario's on_late applies to it.
const lateAfter = 100 * time.Millisecond

// openRound is what one round of a scenario measured of one limiter.
type openRound struct {
	*load.Played
	account
	startedUS int64
	differs   *int64 // decisions that are not those of virtual time; nil: each play has requests of its own
	course    *result.Course
	position  int // within the round, from 1
}

// open plays a scenario's traffic on the wall clock. What warms up is another segment: no key of the scenario is
// touched before it begins, not even one that all requests share. The error is message.ErrStopped if the job was told
// to stop.
func (s *session) open(ctx context.Context, p *playPlan, c *run.Limiter, connections int,
	warmUp time.Duration) (*openRound, error) {
	if warmUp > 0 {
		err := s.warm(ctx, c, saturation{mix: result.MixHalf, connections: connections, warmUp: warmUp})
		if err != nil {
			return nil, err
		}
	}
	g := s.keyspace(c)
	found := &openRound{startedUS: s.since(s.wall.Now())}
	var err error
	found.Played, err = load.Play(ctx, &p.Plan, c, p.part, load.Options{
		Server: s.server, Prefix: g.prefix, Connections: connections, Clock: g.clock,
		OnLate: p.Scenario.OnLate, LateAfter: lateAfter, IntervalUS: intervalUS(p.part.Length()), Stop: s.stop,
		Around: func(t *load.Target, play func() error) (err error) {
			g.target = t
			found.account, err = g.measured(ctx, play)
			return err
		},
	})
	if err == nil && found.Stopped {
		err = message.ErrStopped
	}
	if err == nil {
		s.pacer = load.Pacer
	}
	return found, g.sweep(ctx, g.explain(err))
}

// mostIntervals is what a run is cut into at the most: each interval of each row takes eight histograms.
const mostIntervals = 20

// intervalUS is the smallest round width of which no more than mostIntervals cover the duration.
func intervalUS(d time.Duration) int64 {
	for unit := 10 * time.Millisecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit*mostIntervals >= d {
				return (n * unit).Microseconds()
			}
		}
	}
}

// round writes one round down.
func (o *openRound) round(number int) result.OpenRound {
	d := o.Outcomes.Overall()
	return result.OpenRound{
		Round: number, Position: o.position, StartedUS: o.startedUS, Accepted: o.Accepted, Rejected: o.Rejected,
		DiffersFromVirtual: o.differs, ServerUSPerCall: o.serverUS(),
		ServiceP50US:  float64(d.Service.ValueAtPercentile(50)),
		ResponseP50US: float64(d.Response.ValueAtPercentile(50)),
		ResponseP99US: float64(d.Response.ValueAtPercentile(99)),
		LagP99US:      float64(d.Lag.ValueAtPercentile(99)),
	}
}

// judge compares a play with virtual time, and makes its course. Nothing is measured meanwhile.
func (o *openRound) judge(ctx context.Context, p *playPlan, virtual []limit.Verdict) (err error) {
	if !p.Scenario.Reactive() {
		o.differs = new(o.Differing(virtual))
	}
	o.course, err = o.Course(ctx, p.Policy)
	return err
}

// addCourse joins the course of another round. All have the same buckets.
func addCourse(into, c *result.Course) *result.Course {
	if into == nil {
		return c
	}
	join := func(into *[]int64, values []int64, of func(a, b int64) int64) {
		for i, v := range values {
			(*into)[i] = of((*into)[i], v)
		}
	}
	sum := func(a, b int64) int64 { return a + b }
	join(&into.Offered, c.Offered, sum)
	join(&into.Admitted, c.Admitted, sum)
	join(&into.Rolling, c.Rolling, func(a, b int64) int64 { return max(a, b) })
	return into
}

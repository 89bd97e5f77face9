package bench

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// lateAfter is how long a request may wait for a connection before a scenario's on_late applies to it.
const lateAfter = 100 * time.Millisecond

// played is what one round of a scenario measured of one limiter.
type played struct {
	*load.Played
	account
	startedUS int64
	differs   *int64 // decisions that are not those of virtual time; nil: each play has requests of its own
	course    *result.Course
	position  int // within the round, from 1
}

// measureOne plays a scenario's traffic once against one of its limiters. The error is message.ErrInterrupted after an
// interrupt.
func (r *measuring) measureOne(ctx context.Context, p *play, number int) (*played, error) {
	l := p.Limiters[number]
	if err := r.warm(ctx, l, r.WarmUp); err != nil {
		return nil, err
	}
	g := r.keyspace(l)
	found := &played{startedUS: r.since(r.wall.Now())}
	var err error
	found.Played, err = load.Play(r.ctx, &p.Plan, l, p.part, load.Options{
		Server: r.server, Prefix: g.prefix, Connections: r.Connections, Clock: g.clock, OnLate: p.Scenario.OnLate,
		LateAfter: lateAfter, IntervalUS: intervalUS(p.part.Length()),
		Around: func(t *load.Target, play func() error) (err error) {
			g.target = t
			found.account, err = g.measured(ctx, play)
			return err
		},
	})
	if err == nil && found.Stopped {
		err = message.ErrInterrupted
	}
	if err = g.sweep(ctx, g.explain(err)); err != nil {
		return nil, err
	}
	if !p.Scenario.Reactive() {
		found.differs = new(found.Differing(p.rows[number].verdicts))
	}
	found.course, err = found.Course(ctx, p.Policy)
	return found, err
}

// warm lets a limiter decide for so long on keys of its own, one call after the other. No key of the scenario is
// touched.
func (s *session) warm(ctx context.Context, l *limiter.Limiter, length time.Duration) error {
	if length <= 0 {
		return nil
	}
	g, err := s.segment(ctx, l)
	if err != nil {
		return err
	}
	for end := g.clock.Now() + length; err == nil && g.clock.Now() < end; {
		if s.stopped() {
			err = message.ErrInterrupted
			break
		}
		_, err = g.connection.Call(limit.Request{Key: "warm", Cost: 1})
	}
	return g.end(ctx, err)
}

// mostIntervals is what a run is cut into at the most: each interval of each row takes two histograms.
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

// add takes one round.
func (r *summary) add(number int, o *played) {
	r.Offered += o.Offered
	r.Sent += o.Sent
	r.Dropped += o.Dropped
	r.Admitted += o.Admitted
	r.Rejected += o.Rejected
	r.IntendedPerS += o.IntendedPerS // the mean, once the rounds are counted
	r.AchievedPerS += o.AchievedPerS
	r.Outcomes.Merge(o.Outcomes)
	for _, i := range o.Intervals {
		r.Intervals = addInterval(r.Intervals, i)
	}
	d := o.Outcomes.Overall()
	r.Rounds = append(r.Rounds, result.Round{
		Round: number, Position: o.position, StartedUS: o.startedUS, Admitted: o.Admitted, Rejected: o.Rejected,
		DiffersFromVirtual: o.differs, ServerUSPerCall: o.serverUS(),
		ServiceP50US:  float64(d.Service.ValueAtPercentile(50)),
		ResponseP50US: float64(d.Response.ValueAtPercentile(50)),
		ResponseP99US: float64(d.Response.ValueAtPercentile(99)),
		LagP99US:      float64(d.Lag.ValueAtPercentile(99)),
	})
	r.Course = addCourse(r.Course, o.course)
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

// addInterval merges an interval of a round with those of earlier rounds, in order.
func addInterval(all []result.Interval, i result.Interval) []result.Interval {
	at, found := slices.BinarySearchFunc(all, i.StartUS, func(a result.Interval, us int64) int {
		return cmp.Compare(a.StartUS, us)
	})
	if !found {
		return slices.Insert(all, at, i)
	}
	all[at].Admitted, all[at].Rejected = joined(all[at].Admitted, i.Admitted), joined(all[at].Rejected, i.Rejected)
	return all
}

// joined is a histogram with the counts of another; nil is an empty one.
func joined(a, b *result.Histogram) *result.Histogram {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	a.Merge(b.Histogram)
	return a
}

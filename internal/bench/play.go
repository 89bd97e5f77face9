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

// lateAfter is how long after its due time a request may wait for a connection. After that, the scenario's on_late
// applies.
const lateAfter = 100 * time.Millisecond

// played is the measurement of one limiter in one round of a scenario.
type played struct {
	*load.Played
	account
	startedUS int64
	differs   *int64 // decisions that differ from virtual time; nil: each play has its own requests
	course    *result.Course
	position  int // within the round, from 1
}

// measureOne plays a scenario's traffic once against one limiter. After an interrupt, the error is
// message.ErrInterrupted.
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

// warm lets a limiter decide for a while, one call after the other. It uses its own keys, not those of the scenario.
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

// mostIntervals is the most intervals of a run. Each interval of each row needs two histograms.
const mostIntervals = 20

// intervalUS returns the smallest round width with which at most mostIntervals intervals cover the duration.
func intervalUS(d time.Duration) int64 {
	for unit := 10 * time.Millisecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit*mostIntervals >= d {
				return (n * unit).Microseconds()
			}
		}
	}
}

// add adds the results of one round.
func (r *summary) add(number int, o *played) {
	r.Offered += o.Offered
	r.Sent += o.Sent
	r.Dropped += o.Dropped
	r.Admitted += o.Admitted
	r.Rejected += o.Rejected
	r.IntendedPerS += o.IntendedPerS // divided by the number of rounds later
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

// addCourse adds the course of another round. All courses have the same buckets.
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

// addInterval adds an interval of a round to those of earlier rounds, in order.
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

// joined returns a histogram with the counts of both. nil means an empty histogram.
func joined(a, b *result.Histogram) *result.Histogram {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	a.Merge(b.Histogram)
	return a
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/caller"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/play"
	"ratelab/internal/replay"
)

// lateAfter is how long a request may wait for a connection before a scenario's on_late applies to it.
const lateAfter = 100 * time.Millisecond

// openRound is what one round of a scenario measured of one entry.
type openRound struct {
	*play.Played
	account
	startedUS int64
	differs   *play.Differences // nil: each play has requests of its own
	course    play.Course
	position  int // within the round, from 1
}

// open plays a scenario's traffic on the wall clock. What warms up is another segment: no key of the scenario is
// touched before it begins, not even one that all requests share. The error is errStopped if the job was told to stop.
func (s *session) open(ctx context.Context, p *contest, c *lineup.Entry, connections int,
	warmUp time.Duration) (*openRound, error) {
	if warmUp > 0 {
		if _, err := s.warm(ctx, c, connections, warmUp); err != nil {
			return nil, err
		}
	}
	return s.played(ctx, p, c, connections, nil)
}

// warm lets the entry decide in a closed loop that nobody measures.
func (s *session) warm(ctx context.Context, c *lineup.Entry, connections int, length time.Duration) (*load.ClosedResult,
	error) {
	g, err := s.segment(ctx, c, connections)
	if err != nil {
		return nil, err
	}
	r, err := g.loop(ctx, mixers(benchresult.MixHalf, g.callers), length)
	return r, g.end(ctx, err)
}

// played plays the scenario's part on a keyspace of its own, or on that of all who play it together.
func (s *session) played(ctx context.Context, p *contest, c *lineup.Entry, connections int,
	together play.Together) (*openRound, error) {
	g := s.keyspace(c)
	found := &openRound{startedUS: s.since(s.now())}
	var err error
	found.Played, err = play.Run(ctx, &p.Contest, c, p.part, play.Options{
		Server: s.server, Prefix: g.prefix, Connections: connections, Clock: g.clock, Sleep: s.sleep,
		OnLate: p.Scenario.OnLate, LateAfter: lateAfter, IntervalUS: intervalUS(p.part.Length()), Stop: s.stop,
		Together: together,
		Around: func(t *caller.Target, play func() error) (err error) {
			g.target = t
			found.account, err = g.measured(ctx, play)
			return err
		},
	})
	if errors.Is(err, replay.ErrStopped) || err == nil && found.Stopped {
		err = errStopped
	}
	if err == nil {
		s.pacer = found.Pacer
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
func (o *openRound) round(number int) benchresult.OpenRound {
	d := o.Overall()
	out := benchresult.OpenRound{
		Round: number, Position: o.position, StartedUS: o.startedUS, Accepted: o.Accepted, Rejected: o.Rejected,
		ServerUSPerCall: o.serverUS(),
		ServiceP50US:    float64(d.Service.ValueAtPercentile(50)),
		ResponseP50US:   float64(d.Response.ValueAtPercentile(50)),
		ResponseP99US:   float64(d.Response.ValueAtPercentile(99)),
		LagP99US:        float64(d.Lag.ValueAtPercentile(99)),
	}
	if o.differs != nil {
		out.DiffersFromVirtual, out.OutsideLag = &o.differs.Count, &o.differs.Unexplained
	}
	return out
}

// judge compares a play with virtual time, and makes its course. Nothing is measured meanwhile.
func (s *session) judge(ctx context.Context, p *contest, c *lineup.Entry, virtual *virtualResult, o *openRound) error {
	var err error
	if o.Part != nil { // who reacts to answers that come later asks for other things
		o.course, err = o.Played.Course(ctx, &p.Contest, o.Part, o.Record)
		return err
	}
	again := play.DecideAgain(&p.Contest, c, p.part, s.server, s.clock())
	d, err := o.Compare(ctx, p.part, virtual.record, again)
	if err != nil {
		return err
	}
	o.differs = &d
	o.course, err = o.Played.Course(ctx, &p.Contest, p.part, virtual.record)
	return err
}

// addCourse joins the course of another round. All have the same buckets.
func addCourse(into *benchresult.Course, c play.Course) *benchresult.Course {
	if into == nil {
		into = &benchresult.Course{BucketUS: c.BucketUS}
	}
	join := func(into *[]int64, values []int64, of func(a, b int64) int64) {
		for i, v := range values {
			if i == len(*into) {
				*into = append(*into, 0)
			}
			(*into)[i] = of((*into)[i], v)
		}
	}
	sum := func(a, b int64) int64 { return a + b }
	join(&into.Offered, c.Offered, sum)
	join(&into.Admitted, c.Admitted, sum)
	join(&into.Rolling, c.Rolling, func(a, b int64) int64 { return max(a, b) })
	return into
}

// differences say which rows did not decide as virtual time does, and where lag is no reason for it.
func (r *run) differences(i int, p *contest) []string {
	var notes []string
	for k, e := range p.Entries {
		row := r.rows[i][k]
		var outside int64
		for _, round := range row.rounds {
			if round.OutsideLag != nil {
				outside += *round.OutsideLag
			}
		}
		if outside > 0 {
			first := row.first
			notes = append(notes, fmt.Sprintf("%s: %d of the decisions that differ from virtual time lie outside what "+
				"lag explains, the first at %d us, key %s: %d in virtual time, %d here", e.Label, outside,
				first.Request.AtUS, message.Quote(first.Request.Key), first.Virtual, first.Wall))
		}
	}
	return notes
}

package bench

import (
	"context"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
)

// lateAfter is how long a request may wait for a connection before a scenario's on_late applies to it.
const lateAfter = 100 * time.Millisecond

// mostIntroduced is how many keys are initialised before a scenario is played; others at their first request.
const mostIntroduced = 10_000

// openRound is what one round of a scenario measured of one entry.
type openRound struct {
	*load.OpenResult
	account
	startedUS int64
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
	g, err := s.segment(ctx, c, connections)
	if err != nil {
		return nil, err
	}
	found, err := g.open(ctx, p)
	return found, g.end(ctx, err)
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

func (g *segment) open(ctx context.Context, p *contest) (*openRound, error) {
	if g.entry.Program.Init != nil {
		keys, err := p.traffic.keys(mostIntroduced)
		if err == nil {
			err = g.target.Introduce(ctx, keys)
		}
		if err != nil {
			return nil, err
		}
	}
	found := &openRound{startedUS: g.since(g.now())}
	var err error
	found.account, err = g.measured(ctx, func() error {
		at := g.due(p)
		found.OpenResult, err = load.Open(ctx, p.traffic.Requests(), g.callers, load.OpenOptions{
			Clock: g.clock, At: at, OnLate: p.Scenario.OnLate, LateAfter: lateAfter,
			IntervalUS: intervalUS(p.traffic.longest()), Stop: g.stop,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	g.pacer = found.Pacer
	if found.Stopped {
		err = errStopped
	}
	return found, err
}

// soon is time enough for a run to start.
const soon = 20 * time.Millisecond

// due is when the play begins: soon, and for what goes by aligned windows when the wall clock is where the scenario's
// clock would be in its window.
func (g *segment) due(p *contest) time.Duration {
	at := g.clock.Now() + soon
	if window := g.entry.Policy.Window; g.entry.Aligned && window <= lineup.LongestAlignment {
		at += p.UntilPhase(g.clock.Origin.Add(at), window)
	}
	return at
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

// sample writes one round down.
func (o *openRound) round(number int) benchresult.OpenRound {
	d := o.Overall()
	return benchresult.OpenRound{
		Round: number, Position: o.position, StartedUS: o.startedUS, Accepted: o.Accepted, Rejected: o.Rejected,
		ServerUSPerCall: o.serverUS(),
		ServiceP50US:    float64(d.Service.ValueAtPercentile(50)),
		ResponseP50US:   float64(d.Response.ValueAtPercentile(50)),
		ResponseP99US:   float64(d.Response.ValueAtPercentile(99)),
		LagP99US:        float64(d.Lag.ValueAtPercentile(99)),
	}
}

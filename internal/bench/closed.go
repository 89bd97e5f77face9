package bench

import (
	"context"
	"iter"
	"strconv"
	"time"

	"ratelab/internal/candidate"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/recording"
)

// saturation is what to do in one closed loop.
type saturation struct {
	mix         string
	connections int
	warmUp      time.Duration
	length      time.Duration
}

// saturated is what one closed loop measured.
type saturated struct {
	*load.ClosedResult
	account
	startedUS int64
}

// saturate measures a candidate under costLimit in a closed loop. The error is errStopped if the job was told to stop.
func (s *session) saturate(ctx context.Context, c *candidate.Candidate, o saturation) (*saturated, error) {
	g, err := s.segment(ctx, c, o.connections)
	if err != nil {
		return nil, err
	}
	found, err := g.saturate(ctx, o)
	return found, g.end(ctx, err)
}

func (g *segment) saturate(ctx context.Context, o saturation) (*saturated, error) {
	mixed, err := g.mixers(ctx, o.mix)
	if err != nil {
		return nil, err
	}
	defer g.places.apart()()
	if o.warmUp > 0 {
		warm, err := g.loop(ctx, mixed, o.warmUp)
		if err != nil {
			return nil, err
		}
		perWorker := warm.PerSecond * o.length.Seconds() / float64(len(mixed))
		if err := g.introduce(ctx, mixed, int(2*perWorker)); err != nil {
			return nil, err
		}
	}
	found := &saturated{startedUS: g.since(g.now())}
	found.account, err = g.measured(ctx, func() error {
		found.ClosedResult, err = g.loop(ctx, mixed, o.length)
		return err
	})
	return found, err
}

// mixers gives each connection its part in a mix, whose used-up keys are used up then.
func (g *segment) mixers(ctx context.Context, mix string) ([]*mixer, error) {
	if g.candidate.Label != control { // it admits all
		if err := exhaust(ctx, mix, g.callers[0]); err != nil {
			return nil, err
		}
	}
	return mixers(mix, g.callers), nil
}

// loop is a closed loop of mixers.
func (g *segment) loop(ctx context.Context, mixed []*mixer, length time.Duration) (*load.ClosedResult, error) {
	callers := make([]load.Caller, len(mixed))
	for i, m := range mixed {
		callers[i] = m
	}
	r, err := load.Closed(ctx, anything(), callers, load.ClosedOptions{
		Clock: g.clock, Duration: length, IntervalUS: 60 * time.Second.Microseconds(), Stop: g.stop,
	})
	if err == nil && r.Stopped {
		err = errStopped
	}
	return r, err
}

// anything is a stream for mixers, which choose their requests themselves.
func anything() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) { yield(limit.Request{Cost: 1}, nil) }
}

// introduce initialises the keys that each of the workers will probably come to in so many calls, where the script has
// an init, so that it is not among what is measured.
func (g *segment) introduce(ctx context.Context, mixed []*mixer, calls int) error {
	if g.candidate.Program.Init == nil || mixed[0].mix == recording.MixRejected {
		return nil
	}
	var keys []string
	for _, m := range mixed {
		for n := range 1 + calls/stretch(m.mix) {
			keys = append(keys, m.name+strconv.Itoa(m.number+1+n))
		}
	}
	return g.target.Introduce(ctx, keys)
}

// sample writes one closed loop down.
func (m *saturated) sample(round int) recording.Sample {
	service := m.Overall().Service
	return recording.Sample{
		Round: round, StartedUS: m.startedUS, Calls: m.Sent, Accepted: m.Accepted,
		ThroughputPerS: m.PerSecond, ServerUSPerCall: m.serverUS(),
		ServiceP50US: float64(service.ValueAtPercentile(50)), ServiceP99US: float64(service.ValueAtPercentile(99)),
	}
}

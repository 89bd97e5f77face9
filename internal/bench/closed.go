package bench

import (
	"context"
	"iter"
	"strconv"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
)

// saturation is what to do in one closed loop.
type saturation struct {
	mix         string
	connections int
	warmUp      time.Duration
	length      time.Duration
}

// closedRound is what one closed loop measured.
type closedRound struct {
	load.ClosedResult
	account
	startedUS int64
}

// closedLoop is a closed loop of one entry, warm, that is measured in one or more stretches.
type closedLoop struct {
	*segment
	mixed []*mixer
	found closedRound // all stretches together

	stretches int
	halves    [2]closedRound // the even and the odd ones
}

// saturate measures an entry under costLimit in a closed loop. The error is errStopped if the job was told to stop.
func (s *session) saturate(ctx context.Context, c *lineup.Entry, o saturation) (*closedRound, error) {
	defer s.places.apart()()
	l, err := s.closedLoop(ctx, c, o)
	if err != nil {
		return nil, err
	}
	err = l.stretch(ctx, o.length)
	return &l.found, l.end(ctx, err)
}

// closedLoop prepares a closed loop, and warms it up.
func (s *session) closedLoop(ctx context.Context, c *lineup.Entry, o saturation) (*closedLoop, error) {
	g, err := s.segment(ctx, c, o.connections)
	if err != nil {
		return nil, err
	}
	l := &closedLoop{segment: g}
	if l.mixed, err = g.mixers(ctx, o.mix); err == nil && o.warmUp > 0 {
		err = l.warm(ctx, o)
	}
	if err != nil {
		return nil, g.end(ctx, err)
	}
	return l, nil
}

func (l *closedLoop) warm(ctx context.Context, o saturation) error {
	warm, err := l.loop(ctx, l.mixed, o.warmUp)
	if err != nil {
		return err
	}
	perWorker := warm.PerSecond * o.length.Seconds() / float64(len(l.mixed))
	return l.introduce(ctx, l.mixed, int(2*perWorker))
}

// stretch measures for a while, and adds what it finds to what was found before.
func (l *closedLoop) stretch(ctx context.Context, length time.Duration) error {
	if l.found.Sent == 0 {
		l.found.startedUS = l.since(l.now())
	}
	var found *load.ClosedResult
	a, err := l.measured(ctx, func() (err error) {
		found, err = l.loop(ctx, l.mixed, length)
		return err
	})
	if err != nil {
		return err
	}
	half := &l.halves[l.stretches%2]
	l.stretches++
	for _, into := range []*closedRound{&l.found, half} {
		into.account.add(a)
		into.ClosedResult.Add(found)
	}
	return nil
}

// mixers gives each connection its part in a mix, whose used-up keys are used up then.
func (g *segment) mixers(ctx context.Context, mix string) ([]*mixer, error) {
	if g.entry.Label != control { // it admits all
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
	if g.entry.Program.Init == nil || mixed[0].mix == benchresult.MixRejected {
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
func (m *closedRound) sample(round int) benchresult.Sample {
	service := m.Overall().Service
	return benchresult.Sample{
		Round: round, StartedUS: m.startedUS, Calls: m.Sent, Accepted: m.Accepted,
		ThroughputPerS: m.PerSecond, ServerUSPerCall: m.serverUS(),
		ServiceP50US: float64(service.ValueAtPercentile(50)), ServiceP99US: float64(service.ValueAtPercentile(99)),
	}
}

// sample writes the loop down, and its halves apart.
func (l *closedLoop) sample(round int) benchresult.Sample {
	s := l.found.sample(round)
	if l.stretches > 1 {
		s.Halves = []benchresult.Sample{l.halves[0].sample(round), l.halves[1].sample(round)}
	}
	return s
}

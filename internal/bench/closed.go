package bench

import (
	"context"
	"slices"
	"strconv"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/run"
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

// closedLoop is a closed loop of one limiter, warm, that is measured in one or more stretches.
type closedLoop struct {
	*segment
	mixed []*mixer
	found closedRound // all stretches together
}

// saturate measures a limiter under costLimit in a closed loop. The error is message.ErrStopped if the job
// was told to stop.
func (s *session) saturate(ctx context.Context, c *run.Limiter, o saturation) (*closedRound, error) {
	defer s.places.apart()()
	l, err := s.closedLoop(ctx, c, o)
	if err != nil {
		return nil, err
	}
	err = l.stretch(ctx, o.length)
	return &l.found, l.end(ctx, err)
}

// closedLoop prepares a closed loop, and warms it up.
func (s *session) closedLoop(ctx context.Context, c *run.Limiter, o saturation) (*closedLoop, error) {
	g, err := s.segment(ctx, c, o.connections)
	if err != nil {
		return nil, err
	}
	l := &closedLoop{segment: g}
	if l.mixed, err = g.mixers(o.mix); err == nil && o.warmUp > 0 {
		err = l.warm(ctx, o)
	}
	if err != nil {
		return nil, g.end(ctx, err)
	}
	return l, nil
}

// warm lets a limiter decide in a closed loop that nobody measures.
func (s *session) warm(ctx context.Context, c *run.Limiter, o saturation) error {
	l, err := s.closedLoop(ctx, c, o)
	if err != nil {
		return err
	}
	return l.end(ctx, nil)
}

func (l *closedLoop) warm(ctx context.Context, o saturation) error {
	var warm load.ClosedResult
	if err := l.loop(ctx, l.mixed, o.warmUp, &warm); err != nil {
		return err
	}
	perWorker := warm.PerSecond() * o.length.Seconds() / float64(len(l.mixed))
	return l.introduce(ctx, l.mixed, int(2*perWorker))
}

// stretch measures for a while, and adds what it finds to what was found before.
func (l *closedLoop) stretch(ctx context.Context, length time.Duration) error {
	if l.found.Sent == 0 {
		l.found.startedUS = l.since(l.wall.Now())
	}
	a, err := l.measured(ctx, func() error { return l.loop(ctx, l.mixed, length, &l.found.ClosedResult) })
	l.found.account.add(a)
	return err
}

// stretchLength is how long one loop is measured before the others' turn comes again: a pair of 800 ms a side
// measured against itself varied by 25 % in one piece each, by 8 % in stretches of 100 ms, and by 5 % in these.
const stretchLength = 40 * time.Millisecond

// saturateAll measures every limiter in a closed loop, all in turns, so that their ratios do not depend on when the
// machine was slow: in the order given, then backwards, and so on.
func (r *measuring) saturateAll(ctx context.Context, o saturation, order []int) (all []*closedRound, err error) {
	defer r.places.apart()()
	loops := make([]*closedLoop, len(r.plan.costs))
	for i := 0; i < len(loops) && err == nil; i++ {
		loops[i], err = r.closedLoop(ctx, r.plan.costs[i], o)
	}
	turns := max(1, int(o.length/stretchLength))
	for turn := 0; turn < turns && err == nil; turn++ {
		for n := 0; n < len(order) && err == nil; n++ {
			l := loops[order[n]]
			err = l.explain(l.stretch(ctx, o.length/time.Duration(turns)))
		}
		slices.Reverse(order)
	}
	for _, l := range loops {
		if l == nil {
			continue
		}
		if ended := l.end(ctx, nil); err == nil {
			err = ended
		}
		all = append(all, &l.found)
	}
	return all, err
}

// mixers gives each connection its part in a mix, whose used-up keys are used up then.
func (g *segment) mixers(mix string) ([]*mixer, error) {
	if g.limiter.Label != control { // it admits all
		if err := exhaust(mix, g.callers[0]); err != nil {
			return nil, err
		}
	}
	return mixers(mix, g.callers), nil
}

// loop is a closed loop of mixers, whose figures are added to r.
func (g *segment) loop(ctx context.Context, mixed []*mixer, length time.Duration, r *load.ClosedResult) error {
	callers := make([]load.Caller, len(mixed))
	for i, m := range mixed {
		callers[i] = m
	}
	err := load.Closed(ctx, g.clock, callers, length, g.stop, r)
	if err == nil && r.Stopped {
		err = message.ErrStopped
	}
	return err
}

// introduce initialises the keys that each of the workers will probably come to in so many calls, where the script has
// an init, so that it is not among what is measured.
func (g *segment) introduce(ctx context.Context, mixed []*mixer, calls int) error {
	if g.limiter.Program.Init == nil || mixed[0].mix == result.MixRejected {
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

package load

import (
	"context"
	"time"
)

// Stopwatch is the time that a run goes by. All instants of a run are durations since the clock's origin.
type Stopwatch struct {
	Origin time.Time            // the wall clock's time when Now was 0
	Now    func() time.Duration // never steps back, whatever happens to the wall clock
	Nap    func(time.Duration)  // blocks the calling thread for about so long, never shorter
}

// NewClock is the machine's monotonic clock, counted from origin, which must come from time.Now.
func NewClock(origin time.Time) Stopwatch {
	return Stopwatch{origin.Round(0), func() time.Duration { return time.Since(origin) }, nap}
}

// span is a stretch of time.
type span struct{ from, to time.Duration }

// without is how long the span is without what it shares with others.
func (s span) without(others []span) time.Duration {
	d := s.to - s.from
	for _, o := range others {
		d -= max(0, min(s.to, o.to)-max(s.from, o.from))
	}
	return d
}

// beat naps again and again until over, and tells of the spans in which this process stood still: a nap took longer
// than asked for, because the process was stopped, swapped out, or the processors were somebody else's.
func (c Stopwatch) beat(every time.Duration, over func() bool, stoodStill func(span)) {
	for at := c.Now(); !over(); {
		c.Nap(every)
		now := c.Now()
		stoodStill(span{at + every, now})
		at = now
	}
}

// Wait waits for d, or until ctx is done, whose error it then returns.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

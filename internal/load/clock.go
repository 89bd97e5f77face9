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

// beat naps again and again until over, and tells how late each ended: for so long this process stood still, because
// it was stopped, swapped out, or the processors were somebody else's.
func (c Stopwatch) beat(every time.Duration, over func() bool, late func(time.Duration)) {
	for at := c.Now(); !over(); {
		c.Nap(every)
		now := c.Now()
		late(now - at - every)
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

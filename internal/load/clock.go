package load

import (
	"context"
	"time"

	"ratelab/internal/replay"
)

// Stopwatch is the clock of a run. All instants of a run are durations since Origin.
type Stopwatch struct {
	Origin time.Time            // the wall clock's time when Now was 0
	Now    func() time.Duration // never steps back, even if the wall clock does
	Nap    func(time.Duration)  // blocks the calling thread for at least this long
}

// NewClock returns the machine's monotonic clock, counted from origin. The origin must come from time.Now.
func NewClock(origin time.Time) Stopwatch {
	return Stopwatch{origin.Round(0), func() time.Duration { return time.Since(origin) }, nap}
}

// Wall is the machine's wall clock.
var Wall = replay.Clock{Now: time.Now, Sleep: sleep}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

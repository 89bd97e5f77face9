package load

import (
	"runtime"
	"time"
)

// The ways to wait for an instant, as results name them.
const (
	PacerNanosleep = "nanosleep" // a thread of its own with a timer slack of 1 ns: late by some tens of microseconds
	PacerTimer     = "timer"     // Go's timers: late by up to a millisecond
)

// Stopwatch is the time that a run goes by. All instants of a run are durations since the clock's origin.
type Stopwatch struct {
	Origin time.Time            // the wall clock's time when Now was 0; scripts are told Origin + Now
	Now    func() time.Duration // never steps back, whatever happens to the wall clock
	Nap    func(time.Duration)  // blocks the calling thread for about so long, never shorter
	Pacer  string               // what Nap is: PacerNanosleep or PacerTimer
}

// NewClock is the machine's monotonic clock, counted from origin, which must come from time.Now.
func NewClock(origin time.Time) Stopwatch {
	return Stopwatch{
		Origin: origin.Round(0),
		Now:    func() time.Duration { return time.Since(origin) },
		Nap:    nap,
		Pacer:  pacer,
	}
}

// ownThread keeps the goroutine on a thread of its own from now on, where Nap puts the thread to sleep. To Go's timers
// a thread of one's own is a detour. The thread is not given back: its timer slack is not what others expect.
func (c Stopwatch) ownThread() {
	if c.Pacer == PacerNanosleep {
		runtime.LockOSThread()
	}
}

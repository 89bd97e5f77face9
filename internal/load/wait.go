// Package load drives a server on the wall clock. Open sends a stream when it is due, however slow the server is;
// Closed sends as fast as a number of connections can. Both measure each call and watch the generator itself:
// Reasons says why a run's figures cannot be trusted. What they call is a Caller, such as a caller.Connection.
//
// It starts no server, reads none of its statistics and draws no conclusion from several runs.
package load

import (
	"context"
	"time"
)

// rest is the end of a wait that is slept through by the operating system instead of Go's timers: they wake up in
// whole milliseconds, a sleeping thread within some tens of microseconds. It is short enough not to hold up a
// cancellation.
const rest = 3 * time.Millisecond

// Wait waits for d, or until ctx is done, whose error it then returns. A d that is not positive is over at once.
//
// Note: spinning would be more exact still, and takes the processor from the server that is being paced.
func Wait(ctx context.Context, d time.Duration) error {
	until := time.Now().Add(d)
	if d > rest {
		timer := time.NewTimer(d - rest)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if left := time.Until(until); left > 0 {
		nap(left)
	}
	return ctx.Err()
}

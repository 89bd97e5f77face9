package load

import (
	"context"
	"time"

	"ratelab/internal/limit"
)

// Caller asks the limiter once per Call. A Caller belongs to one worker: it is not safe for concurrent use, and two
// Callers share no connection. An error ends the run.
//
// The context is done when the run ends in an error, or with the context that the run was given: the Call under way
// should fail soon then. It is the same in all Calls of a run.
type Caller interface {
	Call(ctx context.Context, req limit.Request) (Outcome, error)
}

// Outcome is what a Call saw. Its instants are those of the run's Clock.
type Outcome struct {
	Allowed bool
	Written time.Duration // the instant before the request went into the socket
	Replied time.Duration // the instant after its reply was read from the socket, before it was decoded

	// Aside is what the Call did before Written that is no part of the decision, such as initialising a key: it counts
	// neither as wait nor in the response.
	Aside time.Duration

	BytesWritten, BytesRead int // on the connection, by the decision alone; without TLS's and TCP's own
}

package load

import (
	"context"

	"ratelab/internal/caller"
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
type Outcome = caller.Outcome

package run

import (
	"context"
	"time"

	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// Server runs limiters' scripts in virtual time.
type Server interface {
	// Start prepares the server for that many rows, until Close. An error is a *replay.InputError or the server's.
	Start(ctx context.Context, rows int) error
	Close()
	// Describe names the server, and reports whether the user gave it.
	Describe() (about result.Server, given bool)
	// Private starts a server of our own. On a given one, a script that loops after a write cannot be killed.
	Private(ctx context.Context) (Server, error)
	// Try runs users' scripts on a private server with the plan's first requests. A script that fails there is a
	// *replay.InputError.
	Try(ctx context.Context, p *Plan) error
	// Open prepares the script of that row's limiter. The server's clock steps back to at most behind before start.
	Open(ctx context.Context, l *Limiter, start time.Time, behind time.Duration, row int) (Script, error)
	// Confirm sends the commands of that row's sequence, and fails unless the replies are the same.
	Confirm(ctx context.Context, calls []sequence.Call, row int) error
	// Clean deletes the keys of all opened scripts. It returns failed, or else its own error. Kept names the keys that
	// it could not delete on a given server; "": none.
	Clean(ctx context.Context, failed error) error
	Kept() string
}

// Script is a limiter's script on a server.
type Script interface {
	replay.Decider
	// Left counts the keys that exist at a time of the run.
	Left(ctx context.Context, atUS int64) (virtualtime.Left, error)
	// Calls counts the commands that the script has called so far.
	Calls() virtualtime.Calls
}

// each is n divided by of; nil if of is 0.
func each(n, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}

package run

import (
	"context"
	"time"

	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// Server lets limiters' scripts decide in virtual time.
type Server interface {
	// Start gets what so many rows need, until Close. An error is a *replay.InputError or the server's.
	Start(ctx context.Context, rows int) error
	Close()
	// Describe names the server, and reports whether it is somebody else's.
	Describe() (about result.Server, given bool)
	// Private is another server, of our own: nothing ends a script on a given one that loops once it has written.
	Private(ctx context.Context) (Server, error)
	// Try has the plan's users' scripts decide its first requests on a private server. A script that fails there is a
	// *replay.InputError. The warnings are what a reader must know about the others.
	Try(ctx context.Context, p *Plan) (warnings []string, err error)
	// Open prepares the limiter of that row. The server's clock will step behind start by no more than behind.
	Open(ctx context.Context, l *Limiter, start time.Time, behind time.Duration, row int) (Script, error)
	// Confirm sends the commands of that row's sequence, and wants the same replies.
	Confirm(ctx context.Context, calls []sequence.Call, row int) error
	// Clean deletes what the scripts have left that were opened, and gives failed, or else its own error. Kept says
	// what it could not delete on a given server; "": nothing.
	Clean(ctx context.Context, failed error) error
	Kept() string
}

// Script is a limiter's script on a server.
type Script interface {
	replay.Decider
	// Left counts the keys that are alive at a time of the run.
	Left(ctx context.Context, atUS int64) (virtualtime.Left, error)
	// Calls are the commands that the script has issued so far.
	Calls() virtualtime.Calls
}

// each is a share, nil of nothing.
func each(n, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}

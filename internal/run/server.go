package run

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
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
	Open(ctx context.Context, l *limiter.Limiter, start time.Time, behind time.Duration, row int) (Script, error)
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

// trialRequests is how many of a run's first requests a trial uses, one by one.
const trialRequests = 100

// Trial are the plan's first requests, with which a Server tries users' scripts.
func (p *Plan) Trial() (first []limit.Request, err error) {
	for q, err := range p.Stream.Requests() {
		if err != nil {
			return nil, &replay.InputError{Err: err}
		}
		if first = append(first, q); len(first) == trialRequests {
			break
		}
	}
	return first, nil
}

// aboutNothing matches errors about a nil where Lua wants text or a number.
var aboutNothing = regexp.MustCompile(`strings or integers|\bnil\b`)

// TrialFault is the *replay.InputError for a user's script that failed on trial. It is nil for a nil and for an error
// that is not the script's.
func TrialFault(l *limiter.Limiter, err error) error {
	var call *virtualtime.CallError
	var compile *virtualtime.CompileError
	switch {
	case errors.As(err, &compile):
		return replay.Invalid("%s: %s", l.File, oneLine(compile))
	case errors.As(err, &call):
		if unbound := l.Program.Unbound(); unbound != "" && aboutNothing.MatchString(call.Text) {
			return replay.Invalid("%s: on trial: %s (%s)", l.File, unbound, oneLine(call))
		}
		return replay.Invalid("%s: on trial: %s", l.File, oneLine(call))
	}
	return nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// each is n divided by of; nil if of is 0.
func each(n, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}

// ModelServer is the kind of server in a document whose Go models decided.
const ModelServer = "model"

// errNoServer is the error for users' scripts without a server: they have no model.
var errNoServer = errors.New("--redis model has no server to run a script on; leave out --script, or take --redis " +
	"embedded")

// models is the Server that runs no script: the Go models decide.
type models struct{ version string }

// Models is for servers that run only some scripts.
type Models = models

func (models) Start(context.Context, int) error { return nil }

func (models) Close() {}

func (m models) Describe() (about result.Server, given bool) {
	return result.Server{Kind: ModelServer, Name: "go", Version: m.version, Transport: "none"}, false
}

func (models) Private(context.Context) (Server, error) { return nil, errNoServer }

func (models) Try(_ context.Context, p *Plan) error {
	if len(p.Foreign()) > 0 {
		return &replay.InputError{Err: errNoServer}
	}
	return nil
}

func (models) Open(context.Context, *limiter.Limiter, time.Time, time.Duration, int) (Script, error) {
	return nil, nil
}

func (models) Confirm(context.Context, []sequence.Call, int) error { return nil }

func (models) Clean(_ context.Context, failed error) error { return failed }

func (models) Kept() string { return "" }

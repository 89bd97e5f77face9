package run

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ratelab/internal/limiter"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// Engine runs limiters' scripts in virtual time.
type Engine interface {
	// About names the server.
	About() result.Server
	// Open prepares a limiter's script for a plan. It returns nil if the limiter's model decides.
	Open(ctx context.Context, p *Plan, l *limiter.Limiter) (Script, error)
	// Confirm sends the commands of a sequence, and fails unless the replies are the same. After an interrupt the error
	// is message.ErrInterrupted. It is safe for concurrent use.
	Confirm(ctx context.Context, calls []sequence.Call) error
	// Clean deletes the keys of all opened scripts. It returns failed, or its own error if failed is nil.
	Clean(ctx context.Context, failed error) error
}

// Script is a limiter's script on a server.
type Script interface {
	replay.Decider
	// Left counts the keys that exist at a time of the run.
	Left(ctx context.Context, atUS int64) (virtualtime.Left, error)
	// Calls counts the commands that the script has called.
	Calls() virtualtime.Calls
}

// aboutNil matches error messages about a nil where Lua expects a string or a number.
var aboutNil = regexp.MustCompile(`strings or integers|\bnil\b`)

// ScriptFault returns the *replay.InputError for a user's script that failed, or nil if the error is not the script's.
func ScriptFault(l *limiter.Limiter, err error) error {
	var call *virtualtime.CallError
	var compile *virtualtime.CompileError
	if !errors.As(err, &compile) && !errors.As(err, &call) {
		return nil
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if call != nil && aboutNil.MatchString(call.Text) {
		if unbound := l.Program.Unbound(); unbound != "" {
			text = fmt.Sprintf("%s (%s)", unbound, text)
		}
	}
	return &replay.InputError{Err: &inOneLine{l.File + ": " + text, err}}
}

// inOneLine is an error with another text.
type inOneLine struct {
	text  string
	cause error
}

func (e *inOneLine) Error() string { return e.text }

func (e *inOneLine) Unwrap() error { return e.cause }

// ErrNoServer is the error for users' scripts without a server. They have no model.
var ErrNoServer = errors.New("--redis model has no server to run a script on; leave out --script, or use --redis " +
	"embedded")

// ModelServer is the kind of server in a document if the Go models decided.
const ModelServer = "model"

// models is the Engine without scripts: the Go models decide.
type models struct{}

// Models can be embedded in engines that run only some scripts.
type Models = models

func (models) About() result.Server {
	return result.Server{Kind: ModelServer, Name: "go", Transport: "none"}
}

func (models) Open(context.Context, *Plan, *limiter.Limiter) (Script, error) { return nil, nil }

func (models) Confirm(context.Context, []sequence.Call) error { return nil }

func (models) Clean(_ context.Context, failed error) error { return failed }

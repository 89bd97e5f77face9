package run

import (
	"context"
	"errors"
	"time"

	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/sequence"
)

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

func (models) Open(context.Context, *Limiter, time.Time, time.Duration, int) (Script, error) {
	return nil, nil
}

func (models) Confirm(context.Context, []sequence.Call, int) error { return nil }

func (models) Clean(_ context.Context, failed error) error { return failed }

func (models) Kept() string { return "" }

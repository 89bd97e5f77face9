package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ratelab/internal/embedded"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Runner prepares a program for virtual time, under the server's key prefix. It sets both clocks in the options. It
// returns a *replay.InputError if virtual time cannot follow the script, or an error of the server.
func Runner(ctx context.Context, s *redis.Server, program *script.Program, o virtualtime.Options,
	clock replay.Clock) (*virtualtime.Runner, error) {
	// Deadlines must be in the future of the server's own clock, which may differ from ours.
	serverNow, err := s.Client.Time(ctx).Result()
	if err != nil {
		return nil, redis.Explain(err, s)
	}
	began := clock.Now()
	o.Real, o.Elapsed = serverNow, func() time.Duration { return clock.Now().Sub(began) }
	r, err := virtualtime.New(
		virtualtime.Connection{Client: s, Given: !s.Own, Embedded: s.Kind == redis.KindEmbedded},
		program.InKeyspace(s.Prefix), o)
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = replay.Invalid("%s: %w", program.Label, err)
	}
	return r, err
}

// onServer is a run.Script on a server.
type onServer struct {
	*virtualtime.Runner
	engine  *Engine
	limiter *limiter.Limiter
	server  *redis.Server
	before  *onServer // decides each batch first, on a limited server; nil: not needed
	known   bool      // the first requests have been decided

	route  func(key string) string // returns a key with the gateway that gets the request; nil: there is one gateway
	routed []limit.Request         // the requests with the keys of the gateways
}

// A user's script must decide its first firstRequests requests within firstTime. So a script that loops is reported
// soon. Later calls may take redis.BatchTime.
const (
	firstRequests = 100
	firstTime     = 5 * time.Second
)

// Decide decides a batch. After an interrupt it returns message.ErrInterrupted. If a user's script fails, loops, or
// ends its server, it returns a *replay.InputError.
func (s *onServer) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	ctx, end := s.engine.until(ctx)
	defer end()
	if s.before != nil {
		if err := s.before.Decide(ctx, requests, decisions); err != nil {
			return err
		}
	}
	if s.route != nil {
		s.routed = append(s.routed[:0], requests...)
		for i := range s.routed {
			s.routed[i].Key = s.route(s.routed[i].Key)
		}
		requests = s.routed
	}
	if s.limiter.Foreign() && !s.known {
		n := min(firstRequests, len(requests))
		if err := s.first(ctx, requests[:n], decisions[:n]); err != nil {
			return err
		}
		requests, decisions, s.known = requests[n:], decisions[n:], true
	}
	return s.fault(ctx, s.Runner.Decide(ctx, requests, decisions))
}

// errLoops is the error of a script that does not return.
var errLoops = errors.New("the script loops, or is far too slow")

// first decides the first requests of a user's script.
func (s *onServer) first(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		if s.engine.spec.Clock.Sleep(ctx, firstTime) == nil {
			end(errLoops)
		}
	}()
	err := s.Runner.Decide(ctx, requests, decisions)
	if err != nil && context.Cause(ctx) == errLoops {
		return replay.Invalid("%s: no answer to %d requests within %v: %w", s.limiter.File, len(requests), firstTime,
			errLoops)
	}
	return s.fault(ctx, err)
}

// Beside opens another program of the same limiter on the same keys.
func (s *onServer) Beside(program *script.Program) (run.Script, error) {
	r, err := s.Runner.Beside(program.InKeyspace(s.server.Prefix))
	if err != nil {
		return nil, explain(err, s.server)
	}
	beside := &onServer{Runner: r, engine: s.engine, limiter: s.limiter, server: s.server, known: true}
	if s.before != nil {
		before, err := s.before.Beside(program)
		if err != nil {
			return nil, err
		}
		beside.before = before.(*onServer)
	}
	return beside, nil
}

// fault explains an error of a call. The errors that a user's script raises are the script's fault. On our own server,
// so are a server that ended and a missing reply.
func (s *onServer) fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	foreign, file := s.limiter.Foreign(), s.limiter.File
	var call *virtualtime.CallError
	switch isCall := errors.As(err, &call); {
	case !foreign:
	case isCall && strings.Contains(call.Text, embedded.Refusal): // another server may be able to decide the script
		return &refusal{file, err}
	case isCall && redis.ExplainText(call.Text, s.server) != nil: // the server's fault
	case run.ScriptFault(s.limiter, err) != nil:
		return run.ScriptFault(s.limiter, err)
	case s.server.Own && redis.TimedOut(err):
		return replay.Invalid("%s: no answer within %v: %w", file, redis.BatchTime, errLoops)
	case s.server.Bounded && s.server.Ended() != "":
		how, _, _ := strings.Cut(s.server.Ended(), "; it said:")
		return replay.Invalid("%s: the script ended the server, or took more than %d MB of memory (%s)", file,
			redis.ScriptMemory>>20, cmp.Or(how, "the connection broke"))
	}
	return explain(err, s.server)
}

// refusal is the error for a user's script that the embedded server cannot run.
type refusal struct {
	file  string
	cause error
}

func (r *refusal) Error() string { return r.file + ": " + r.cause.Error() }

func (r *refusal) Unwrap() error { return r.cause }

// NamesFile tells replay.Named that the error names a file.
func (r *refusal) NamesFile() {}

// explain explains an error of a call on s, as redis.Explain does. Errors of the script and errors about lost keys are
// returned unchanged.
func explain(err error, s *redis.Server) error {
	var compile *virtualtime.CompileError
	var lost *virtualtime.LostError
	var call *virtualtime.CallError
	switch {
	case errors.Is(err, message.ErrInterrupted), errors.As(err, &compile), errors.As(err, &lost),
		errors.Is(err, virtualtime.ErrLost):
		return err
	case errors.As(err, &call):
		return cmp.Or(redis.ExplainText(call.Text, s), err)
	}
	return redis.Explain(err, s)
}

// Left counts the script's keys at a time. It measures memory only on real servers, because the embedded server has no
// real figures. After an interrupt the error is message.ErrInterrupted.
func (s *onServer) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	ctx, end := s.engine.until(ctx)
	defer end()
	left, err := s.Runner.Left(ctx, atUS, s.server.Kind != redis.KindEmbedded)
	return left, s.named(err)
}

// Close deletes the script's keys.
func (s *onServer) Close(ctx context.Context) error { return s.named(s.Runner.Close(ctx)) }

// named adds the limiter's label to an error of the server.
func (s *onServer) named(err error) error {
	if err == nil || errors.Is(err, message.ErrInterrupted) {
		return err
	}
	return fmt.Errorf("%s: %w", s.limiter.Label, explain(err, s.server))
}

var _ run.Script = (*onServer)(nil)

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Times are those of a run.
type Times struct {
	Start  time.Time       // where virtual time begins
	Behind time.Duration   // how far behind that the server's clock steps at most
	Stop   <-chan struct{} // ends what is decided between two batches; nil: nothing does
}

// Runner prepares a program for virtual time, under the server's prefix. The error is a *replay.InputError for a script
// that virtual time cannot follow, or the server's.
func Runner(ctx context.Context, s *redis.Server, program *script.Program, times Times, clock replay.Clock) (
	*virtualtime.Runner, error) {
	return runner(ctx, s, program, virtualtime.Options{Start: times.Start, Behind: times.Behind, Stop: times.Stop},
		clock)
}

// runner adds the two clocks to the options.
func runner(ctx context.Context, s *redis.Server, program *script.Program, o virtualtime.Options,
	clock replay.Clock) (*virtualtime.Runner, error) {
	// Deadlines are placed after the server's own clock, which need not be ours.
	serverNow, err := s.Client.Time(ctx).Result()
	if err != nil {
		return nil, redis.Explain(err, s)
	}
	began := clock.Now()
	o.Real, o.Elapsed = serverNow, func() time.Duration { return clock.Now().Sub(began) }
	r, err := virtualtime.New(
		virtualtime.Server{Client: s, Given: !s.Own, Embedded: s.Kind == redis.KindEmbedded},
		program.InKeyspace(s.Prefix), o)
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = replay.Invalid("%s: %w", program.Label, err)
	}
	return r, err
}

// Script decides by a limiter's script in virtual time, on a server. Its errors speak of the server's connection in
// our words.
type Script struct {
	*virtualtime.Runner
	Limiter *run.Limiter
	Server  *redis.Server

	route  func(key string) string // of several gateways; nil: there is one
	routed []limit.Request         // as the gateways see them
}

// Open prepares a limiter's script for virtual time on a server.
func Open(ctx context.Context, s *redis.Server, l *run.Limiter, times Times, clock replay.Clock) (*Script, error) {
	r, err := Runner(ctx, s, l.Program, times, clock)
	if err != nil {
		return nil, err
	}
	all := &Script{Runner: r, Limiter: l, Server: s}
	if l.Gateways != nil {
		all.route = l.Route(0)
	}
	return all, nil
}

// Decide decides a batch. The error is message.ErrStopped where it was told to stop, and a *replay.InputError where a
// user's script is to blame, on a server of ours: that it loops, or has ended its server.
func (s *Script) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if s.route != nil {
		s.routed = append(s.routed[:0], requests...)
		for i := range s.routed {
			s.routed[i].Key = s.route(s.routed[i].Key)
		}
		requests = s.routed
	}
	err := s.Runner.Decide(ctx, requests, decisions)
	mine := s.Limiter.Program.Foreign && s.Server.Own
	var call *virtualtime.CallError
	switch {
	case mine && errors.As(err, &call):
	case mine && redis.TimedOut(err):
		return replay.Invalid("%s: no answer within %v: the script %w, or is far too slow", s.Limiter.File,
			redis.BatchTime, errLoops)
	case err != nil && mine && s.Server.Bounded() && s.Server.Ended() != "":
		return replay.Invalid("%s: %s", s.Limiter.File, ended(s.Server, redis.ScriptMemory))
	}
	return explain(err, s.Server)
}

// explain puts an error of a call on s into our words, as redis.Explain does. What a script is to blame for, and
// keys that were lost, stay as they are.
func explain(err error, s *redis.Server) error {
	var compile *virtualtime.CompileError
	var lost *virtualtime.LostError
	var call *virtualtime.CallError
	switch {
	case errors.Is(err, message.ErrStopped), errors.As(err, &compile), errors.As(err, &lost),
		errors.Is(err, virtualtime.ErrLost):
		return err
	case errors.As(err, &call):
		return cmp.Or(redis.ExplainText(call.Text, s), err)
	}
	return redis.Explain(err, s)
}

// Left counts what the script has left at a time. Memory is that of a real server: an embedded one invents its answer.
// The error is message.ErrStopped where it was told to stop.
func (s *Script) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	left, err := s.Runner.Left(ctx, atUS, s.Server.Kind != redis.KindEmbedded)
	return left, s.named(err)
}

// Close deletes what the script has left.
func (s *Script) Close(ctx context.Context) error { return s.named(s.Runner.Close(ctx)) }

// named names the limiter in an error of the server.
func (s *Script) named(err error) error {
	if err == nil || errors.Is(err, message.ErrStopped) {
		return err
	}
	return fmt.Errorf("%s: %w", s.Limiter.Label, explain(err, s.Server))
}

// errHangs is that of a server on which nothing can be deleted.
var errHangs = errors.New("the server does not answer")

// delete deletes what is left, until ctx is done.
func (s *Script) delete(ctx context.Context) error {
	if s.Server.Hangs() {
		return errHangs
	}
	return s.Close(ctx)
}

// abandon leaves the keys to a server of ours, which ends with the run.
func (s *Script) abandon() {
	if s.Unanswered() { // it may hang in the script
		s.Server.Abandon()
	}
}

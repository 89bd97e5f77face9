package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Runner prepares a program for virtual time, under the server's prefix, with both clocks in the options. The error is
// a *replay.InputError for a script that virtual time cannot follow, or the server's.
func Runner(ctx context.Context, s *redis.Server, program *script.Program, o virtualtime.Options,
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

// onServer is a run.Script. It explains errors of the connection.
type onServer struct {
	*virtualtime.Runner
	limiter *limiter.Limiter
	server  *redis.Server

	route  func(key string) string // of several gateways; nil: there is one
	routed []limit.Request         // as the gateways see them
}

// Decide decides a batch. The error is message.ErrStopped after a stop, and a *replay.InputError if a user's script
// loops, or has ended its server, on a server of our own.
func (s *onServer) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if s.route != nil {
		s.routed = append(s.routed[:0], requests...)
		for i := range s.routed {
			s.routed[i].Key = s.route(s.routed[i].Key)
		}
		requests = s.routed
	}
	err := s.Runner.Decide(ctx, requests, decisions)
	mine := s.limiter.Program.Foreign && s.server.Own
	var call *virtualtime.CallError
	switch {
	case mine && errors.As(err, &call):
	case mine && redis.TimedOut(err):
		return replay.Invalid("%s: no answer within %v: the script %w, or is far too slow", s.limiter.File,
			redis.BatchTime, errLoops)
	case err != nil && mine && s.server.Bounded && s.server.Ended() != "":
		return replay.Invalid("%s: %s", s.limiter.File, ended(s.server, redis.ScriptMemory))
	}
	return explain(err, s.server)
}

// explain explains an error of a call on s, as redis.Explain does. Errors of the script and lost keys stay as they are.
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

// Left counts the script's keys at a time. Memory is measured only on real servers: an embedded one invents it. The
// error is message.ErrStopped after a stop.
func (s *onServer) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	left, err := s.Runner.Left(ctx, atUS, s.server.Kind != redis.KindEmbedded)
	return left, s.named(err)
}

// Close deletes the script's keys.
func (s *onServer) Close(ctx context.Context) error { return s.named(s.Runner.Close(ctx)) }

// named adds the limiter's label to an error of the server.
func (s *onServer) named(err error) error {
	if err == nil || errors.Is(err, message.ErrStopped) {
		return err
	}
	return fmt.Errorf("%s: %w", s.limiter.Label, explain(err, s.server))
}

package candidate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/virtualtime"
)

// TrialRequests is how many of a run's first requests a user's script is tried with, one by one.
const TrialRequests = 100

// trialTime is how long a trial may take.
const trialTime = 5 * time.Second

// errLoops is the verdict on a script that does not answer.
var errLoops = errors.New("loops")

// Try lets every user's script among all decide requests on a private server, before it decides anything on the
// server that spec names: a script that loops after a write cannot be killed without its server. Without such a
// script it does nothing. Its error is an *InputError, or that of a server.
func Try(ctx context.Context, all []*Candidate, spec string, start time.Time, requests []limit.Request, clock Clock) error {
	server, err := privateServer(ctx, spec)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err = tryOne(ctx, server, c, start, requests, clock); err != nil {
			break
		}
	}
	if errors.Is(err, errLoops) {
		abandon(ctx, server)
		return err
	}
	return errors.Join(err, server.Close())
}

// privateServer is of the same kind as the one to run on where that is ours, so that the same script compiles. In
// place of a user's server it is a real one, if there is one.
func privateServer(ctx context.Context, spec string) (*redisserver.Server, error) {
	switch kind, _, _ := strings.Cut(spec, "="); kind {
	case redisserver.KindEmbedded, redisserver.KindProcess, redisserver.KindContainer:
		return redisserver.Start(ctx, spec)
	}
	s, err := redisserver.Start(ctx, redisserver.KindProcess)
	var absent *redisserver.Unavailable
	if errors.As(err, &absent) {
		return redisserver.Start(ctx, redisserver.KindEmbedded)
	}
	return s, err
}

// tryOne gives nil for a script that answers every request with what its binding allows.
func tryOne(ctx context.Context, s *redisserver.Server, c *Candidate, start time.Time, requests []limit.Request, clock Clock) error {
	runner, err := Runner(ctx, s, c.Program, Times{Start: start, Trial: true}, 1, clock)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- runner.Decide(ctx, requests, make([]limit.Decision, len(requests))) }()
	trial, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- clock.Sleep(trial, trialTime) }()
	select {
	case err := <-answered:
		return faultOf(err, s, c)
	case err := <-over:
		if err != nil {
			return err
		}
		return &InputError{fmt.Errorf("%s: on trial: no answer to %d requests within %v: the script %w, or is far too slow",
			c.File, len(requests), trialTime, errLoops)}
	}
}

// faultOf puts what ended a trial into the class of errors that it belongs to.
func faultOf(err error, s *redisserver.Server, c *Candidate) error {
	var call *virtualtime.CallError
	var compile *virtualtime.CompileError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &compile):
		return &InputError{fmt.Errorf("%s: %s", c.File, oneLine(compile))}
	case errors.As(err, &call):
		return &InputError{fmt.Errorf("%s: on trial: %s", c.File, oneLine(call))}
	}
	return fmt.Errorf("%s: on trial: %w", c.File, redisserver.Explain(err, s))
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// abandon ends a server that hangs in a script: SHUTDOWN NOSAVE is what it still obeys. The embedded one obeys
// nothing, and ends with the process.
func abandon(ctx context.Context, s *redisserver.Server) {
	if s.Kind == redisserver.KindEmbedded {
		return
	}
	_ = s.Client.ShutdownNoSave(ctx).Err() // its success is an error: the connection breaks
	_ = s.Close()                          // kills what is still there; the error to tell is the script's
}

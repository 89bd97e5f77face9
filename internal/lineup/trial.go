package lineup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/virtualtime"
	"ratelab/internal/waiting"
)

// TrialRequests is how many of a run's first requests a user's script is tried with, one by one.
const TrialRequests = 100

// FirstRequests are those of a trial. The error is an *InputError, about the traffic.
func FirstRequests(t replay.Traffic) ([]limit.Request, error) {
	var first []limit.Request
	for q, err := range t.Requests() {
		if err != nil {
			return nil, &InputError{Err: err}
		}
		if first = append(first, q); len(first) == TrialRequests {
			break
		}
	}
	return first, nil
}

// trialTime is how long a trial may take, and trialMemory how much, in bytes. On macOS and Windows a real server's
// process is bounded in time alone.
const (
	trialTime   = 5 * time.Second
	trialMemory = 512 << 20
)

// errLoops is the verdict on a script that does not answer.
var errLoops = errors.New("loops")

// Try lets every user's script among all decide requests on a private server, before it decides anything on the
// server that spec names: a script that loops after a write cannot be killed without its server. Without such a
// script it does nothing. Its error is an *InputError, or that of a server.
func Try(ctx context.Context, all []*Entry, spec string, start time.Time, requests []limit.Request,
	clock replay.Clock) error {
	watch := waiting.Of(ctx)
	ctx, cancel := watch.Context(ctx)
	defer cancel()
	server, err := privateServer(ctx, spec)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err = tryOne(ctx, server, c, start, requests, clock); err != nil {
			break
		}
	}
	if err == nil {
		return server.Close()
	}
	if watch.Stopped() && errors.Is(err, context.Canceled) {
		err = &waiting.Interrupted{What: "the scripts to be tried"}
	}
	// It may hang in the script, and its end is not to be waited for; the error to tell is the script's.
	server.Abandon()
	_ = server.Close()
	return err
}

// bounded is how much the server of a trial may take.
var bounded = redisserver.ForTrial(trialMemory)

// privateServer is of the same kind as the one to run on where that is ours, so that the same script compiles. In
// place of a user's server it is a real one, if there is one.
func privateServer(ctx context.Context, spec string) (*redisserver.Server, error) {
	switch kind, _, _ := strings.Cut(spec, "="); kind {
	case redisserver.KindEmbedded, redisserver.KindProcess, redisserver.KindContainer:
		return redisserver.Start(ctx, spec, bounded)
	}
	s, err := redisserver.Start(ctx, redisserver.KindProcess, bounded)
	var absent *redisserver.Unavailable
	if errors.As(err, &absent) {
		return redisserver.Start(ctx, redisserver.KindEmbedded, bounded)
	}
	return s, err
}

// tryOne gives nil for a script that answers every request with what its binding allows.
func tryOne(ctx context.Context, s *redisserver.Server, c *Entry, start time.Time, requests []limit.Request,
	clock replay.Clock) error {
	runner, err := Runner(ctx, s, c.Program, Times{Start: start, Trial: true}, 1, clock)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- runner.Decide(ctx, requests, make([]limit.Decision, len(requests))) }()
	trial, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- cmp.Or(clock.Sleep(trial, trialTime), errLoops) }()
	select {
	case err := <-answered:
		return faultOf(err, s, c)
	case err := <-over:
		return tired(err, c, len(requests))
	}
}

// tired words the end of a trial that brought no answer.
func tired(err error, c *Entry, requests int) error {
	if errors.Is(err, errLoops) {
		return &InputError{fmt.Errorf("%s: on trial: no answer to %d requests within %v: the script %w, or is far "+
			"too slow",
			c.File, requests, trialTime, err)}
	}
	return err
}

// aboutNothing is an error of what is used in the place of text or a number, and is none.
var aboutNothing = regexp.MustCompile(`strings or integers|\bnil\b`)

// faultOf puts what ended a trial into the class of errors that it belongs to.
func faultOf(err error, s *redisserver.Server, c *Entry) error {
	var call *virtualtime.CallError
	var compile *virtualtime.CompileError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &compile):
		return &InputError{fmt.Errorf("%s: %s", c.File, oneLine(compile))}
	case errors.As(err, &call):
		if unbound := c.Program.Unbound(); unbound != "" && aboutNothing.MatchString(call.Text) {
			return &InputError{fmt.Errorf("%s: on trial: %s (%s)", c.File, unbound, oneLine(call))}
		}
		return &InputError{fmt.Errorf("%s: on trial: %s", c.File, oneLine(call))}
	}
	err = redisserver.Explain(err, s)
	var gone *redisserver.Unavailable
	if errors.As(err, &gone) { // it is ours alone, and has just answered: what else would have ended it?
		how, _, _ := strings.Cut(s.Ended(), "; it said:")
		return &InputError{fmt.Errorf("%s: on trial: the script ended the server, or took more than %d MB of "+
			"memory (%s)",
			c.File, trialMemory>>20, cmp.Or(how, "the connection broke"))}
	}
	return fmt.Errorf("%s: on trial: %w", c.File, err)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

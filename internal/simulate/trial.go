package simulate

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

// A user's script is tried before it decides anything: so many requests, one by one, for so long. A script that
// loops after a write cannot be killed without its server, so this is never the user's own server.
const (
	trialRequests = 100
	trialTime     = 5 * time.Second
)

// errLoops is the verdict on a script that does not answer.
var errLoops = errors.New("loops")

// try lets every script of the users decide the first requests on a private server. Its error is an *InputError, or
// that of a server.
func (j *Job) try(ctx context.Context, p *plan, b *backend) error {
	own := p.own()
	if len(own) == 0 {
		return nil
	}
	requests, err := firstRequests(p.runs[0])
	if err != nil {
		return err
	}
	server, err := privateServer(ctx, j.Server)
	if err != nil {
		return err
	}
	for _, c := range own {
		if err = b.tryOne(ctx, server, c, p.runs[0].scenario.Start, requests); err != nil {
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

func firstRequests(p *planned) ([]limit.Request, error) {
	var first []limit.Request
	for q, err := range p.stream.Requests() {
		if err != nil {
			return nil, &InputError{err}
		}
		first = append(first, q)
		if len(first) == trialRequests {
			break
		}
	}
	return first, nil
}

// tryOne gives nil for a script that answers every request with what its binding allows.
func (b *backend) tryOne(ctx context.Context, s *redisserver.Server, c *candidate, start time.Time, requests []limit.Request) error {
	runner, err := b.runner(ctx, s, c.program, start, 1)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- runner.Decide(ctx, requests, make([]limit.Decision, len(requests))) }()
	trial, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- b.job.Sleep(trial, trialTime) }()
	select {
	case err := <-answered:
		return faultOf(err, s, c)
	case err := <-over:
		if err != nil {
			return err
		}
		return &InputError{fmt.Errorf("%s: on trial: no answer to %d requests within %v: the script %w, or is far too slow",
			c.file, len(requests), trialTime, errLoops)}
	}
}

// faultOf puts what ended a trial into the class of errors that it belongs to.
func faultOf(err error, s *redisserver.Server, c *candidate) error {
	var call *virtualtime.CallError
	var compile *virtualtime.CompileError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &compile):
		return &InputError{fmt.Errorf("%s: %s", c.file, oneLine(compile))}
	case errors.As(err, &call):
		return &InputError{fmt.Errorf("%s: on trial: %s", c.file, oneLine(call))}
	}
	return fmt.Errorf("%s: on trial: %w", c.file, redisserver.Explain(err, s))
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

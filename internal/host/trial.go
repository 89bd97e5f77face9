package host

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
	"ratelab/internal/virtualtime"
)

// trialTime and trialMemory (in bytes) bound a trial. On macOS and Windows only time bounds a real server's process.
const (
	trialTime   = 5 * time.Second
	trialMemory = 512 << 20
)

// errLoops is the error of a script that does not return.
var errLoops = errors.New("loops")

// Try runs every user's script on a private server with the plan's first requests, before it runs on this one: a script
// that loops after a write cannot be killed without its server. The keys have the same prefix, so that no script can
// recognize a trial. The error is a *replay.InputError, or a server's.
func (s *Server) Try(ctx context.Context, p *run.Plan) error {
	all := p.Foreign()
	if all == nil {
		return nil
	}
	first, err := p.Trial()
	if err != nil {
		return err
	}
	watch := message.WatchOf(ctx)
	ctx, cancel := watch.Context(ctx)
	defer cancel()
	server, err := redis.StartPrivate(ctx, s.Spec, s.prefix(), trialMemory)
	if err != nil {
		return err
	}
	for _, l := range all {
		if err = tryOne(ctx, server, l, p.Scenario.Start, first, s.Clock); err != nil {
			break
		}
	}
	if err == nil {
		return server.Close()
	}
	if watch.Stopped() && errors.Is(err, context.Canceled) {
		err = &message.Interrupted{What: "the scripts to be tried"}
	}
	// It may hang in the script, and its end is not to be waited for; the error to tell is the script's.
	server.Abandon()
	_ = server.Close()
	return err
}

// tryOne returns nil if the script's replies to all requests are valid by its binding.
func tryOne(ctx context.Context, s *redis.Server, l *limiter.Limiter, start time.Time, requests []limit.Request,
	clock replay.Clock) error {
	r, err := Runner(ctx, s, l.Program, virtualtime.Options{Start: start, Trial: true, BatchSize: 1}, clock)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- r.Decide(ctx, requests, make([]limit.Decision, len(requests))) }()
	trial, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- cmp.Or(clock.Sleep(trial, trialTime), errLoops) }()
	select {
	case err := <-answered:
		return faultOf(err, s, l)
	case err := <-over:
		if errors.Is(err, errLoops) {
			return replay.Invalid("%s: on trial: no answer to %d requests within %v: the script %w, or is far too slow",
				l.File, len(requests), trialTime, err)
		}
		return err
	}
}

// faultOf makes the error of a trial.
func faultOf(err error, s *redis.Server, l *limiter.Limiter) error {
	if err != nil && strings.Contains(err.Error(), embedded.Refusal) { // another server may decide the script
		return fmt.Errorf("%s: %w", l.File, err)
	}
	if fault := run.TrialFault(l, err); err == nil || fault != nil {
		return fault
	}
	err = redis.Explain(err, s)
	var gone *redis.Unavailable
	if errors.As(err, &gone) { // it is ours alone, and has just answered: what else would have ended it?
		return replay.Invalid("%s: on trial: %s", l.File, ended(s, trialMemory))
	}
	return fmt.Errorf("%s: on trial: %w", l.File, err)
}

// ended says that a script has ended its server, which may use that much memory.
func ended(s *redis.Server, memory int64) string {
	how, _, _ := strings.Cut(s.Ended(), "; it said:")
	return fmt.Sprintf("the script ended the server, or took more than %d MB of memory (%s)", memory>>20,
		cmp.Or(how, "the connection broke"))
}

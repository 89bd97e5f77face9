package simulate

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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

// try lets every script of the users decide a few requests on a private server. Its error is an *InputError.
func (j *Job) try(ctx context.Context, p *plan, b *backend) error {
	own := p.own()
	if len(own) == 0 {
		return nil
	}
	server, err := privateServer(ctx, j.Server)
	if err != nil {
		return err
	}
	requests, err := firstRequests(p.runs[0])
	if err != nil {
		return err
	}
	for _, c := range own {
		if err := tryOne(ctx, b, server, c, p.runs[0], requests); err != nil {
			if !errors.Is(err, errLoops) {
				server.Close() // one that loops would be waited for
			}
			return err
		}
	}
	return server.Close()
}

// privateServer is of the same kind as the one to run on where that is ours, so that the same script compiles.
func privateServer(ctx context.Context, spec string) (*redisserver.Server, error) {
	switch kind, _, _ := strings.Cut(spec, "="); kind {
	case redisserver.KindEmbedded, redisserver.KindProcess, redisserver.KindContainer:
	default:
		spec = redisserver.KindEmbedded
		if _, err := exec.LookPath("redis-server"); err == nil {
			spec = redisserver.KindProcess
		}
	}
	return redisserver.Start(ctx, spec)
}

func firstRequests(p *planned) ([]limit.Request, error) {
	var first []limit.Request
	for q, err := range p.stream.Requests() {
		if err != nil {
			return nil, err
		}
		first = append(first, q)
		if len(first) == trialRequests {
			break
		}
	}
	return first, nil
}

var errLoops = errors.New("loops")

func tryOne(ctx context.Context, b *backend, server *redisserver.Server, c *candidate, p *planned, requests []limit.Request) error {
	for _, source := range []string{c.program.Source, c.program.InitSource} {
		if source == "" {
			continue
		}
		if err := server.Client.ScriptLoad(ctx, source).Err(); err != nil {
			return &InputError{fmt.Errorf("%s: the script does not compile: %s", c.file, oneLine(err))}
		}
	}
	runner, err := b.runner(ctx, server, c.program, p.scenario.Start, 1)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- runner.Decide(ctx, requests, make([]limit.Decision, len(requests))) }()
	timer, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	select {
	case err = <-answered:
	case <-timer.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &InputError{fmt.Errorf("%s: the script has not answered %d requests in %v: it %w, or is far too slow", c.file, len(requests), trialTime, errLoops)}
	}
	var call *virtualtime.CallError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &call):
		return &InputError{fmt.Errorf("%s: on trial: request at %dµs, key %q, cost %d: %s", c.file, call.Request.AtUS, call.Request.Key, call.Request.Cost, call.Text)}
	}
	return fmt.Errorf("%s: on trial: %w", c.file, redisserver.Explain(err, server))
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

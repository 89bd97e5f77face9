// Package engine decides requests with limiters' scripts in virtual time, on the servers of package redis. An Engine is
// a run.Engine.
//
// A user's script may do anything. So it runs on our own server, which limits its time and memory. On any other server,
// it decides a batch only after a limited server has decided the same batch.
//
// The package measures nothing.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// Spec selects the server.
type Spec struct {
	Redis   string // a spec of redis.Start, or redis.KindAuto
	Foreign bool   // a limiter is a user's script; otherwise redis.KindAuto means the embedded server
	Clock   replay.Clock
}

// Ours returns a Spec with our own server: of the same kind, or of redis.KindAuto if s has a given server.
func (s Spec) Ours() Spec {
	if redis.IsGiven(s.Redis) {
		s.Redis = redis.KindAuto
	}
	return s
}

// Engine runs scripts for all rows. Either all rows use one server, or, without users' scripts, each row has its own
// embedded server. A method is safe for concurrent use only if its comment says so.
type Engine struct {
	spec     Spec
	now      context.Context // ends when an interrupted run must stop at once
	stop     func()
	fallback string // why redis.KindAuto selected the embedded server; "": it selected another one

	server  *redis.Server // nil: each row has its own embedded server
	ours    bool          // Close stops server
	bounded *redis.Server // decides the batches of users' scripts before server decides them; nil: not started yet
	scripts []*onServer   // opened since the last Clean
	kept    string

	mu   sync.Mutex
	idle []*redis.Server // embedded servers that no row uses
	all  []*redis.Server // all embedded servers, each used by at most one row
}

var _ run.Engine = (*Engine)(nil)

// finishing is the time for which an interrupted run may finish its batches, so that all rows end at the same request.
// deleting is the time for which it may then delete its keys.
const (
	finishing = 300 * time.Millisecond
	deleting  = time.Second
)

// mostRows is the most connections of a server: one per row and one for inspection.
const mostRows = 256

// Start starts the server. After an interrupt of ctx, the calls in progress may take some more time. It returns the
// errors of redis.Start, but a *replay.InputError instead of a *redis.BadSpec.
func Start(ctx context.Context, spec Spec) (*Engine, error) {
	e := &Engine{spec: spec, ours: true}
	var err error
	switch {
	case e.spec.Redis == redis.KindAuto && !spec.Foreign:
		e.spec.Redis = redis.KindEmbedded
	case e.spec.Redis == redis.KindAuto:
		e.spec.Redis, e.fallback, err = redis.Choose(ctx)
	}
	switch {
	case err != nil:
	case spec.Foreign:
		e.server, err = redis.Start(ctx, e.spec.Redis, redis.WithPoolSize(mostRows),
			redis.ForTrial(redis.ScriptMemory))
	case e.spec.Redis != redis.KindEmbedded:
		e.server, err = redis.Start(ctx, e.spec.Redis, redis.WithPoolSize(mostRows))
	default:
		var first *redis.Server
		if first, err = e.take(ctx); err == nil {
			e.put(first)
		}
	}
	if err != nil {
		if bad := new(redis.BadSpec); errors.As(err, &bad) {
			err = &replay.InputError{Err: err}
		}
		return nil, err
	}
	e.watch(ctx)
	return e, nil
}

// On returns an Engine on a running server. Close does not stop this server.
func On(ctx context.Context, server *redis.Server, clock replay.Clock) *Engine {
	e := &Engine{spec: Spec{Redis: server.Kind, Clock: clock}, server: server}
	e.watch(ctx)
	return e
}

// watch sets e.now, a context that ends some time after ctx.
func (e *Engine) watch(ctx context.Context) {
	now, end := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		e.spec.Clock.Sleep(now, finishing)
		end(context.Cause(ctx))
	})
	e.now, e.stop = now, func() {
		forget()
		end(nil)
	}
}

// until returns a context that ends with ctx, or when an interrupted run must stop at once.
func (e *Engine) until(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	forget := context.AfterFunc(e.now, func() { end(context.Cause(e.now)) })
	return ctx, func() {
		forget()
		end(nil)
	}
}

// Close stops the servers that the Engine has started.
func (e *Engine) Close() {
	e.stop()
	if e.ours && e.server != nil {
		e.all = append(e.all, e.server)
	}
	if e.bounded != nil {
		e.all = append(e.all, e.bounded)
	}
	for _, one := range e.all {
		one.Close() // errors do not matter: the results are complete, and our own servers end with the process
	}
}

// About describes the server for the document.
func (e *Engine) About() result.Server {
	one := e.server
	if one == nil {
		one = e.all[0]
	}
	return result.Server{Kind: one.Kind, Name: one.Name, Version: one.Version, Transport: one.Transport,
		Fallback: e.fallback}
}

// Kept names the keys that an interrupted run has left on a given server, or returns "".
func (e *Engine) Kept() string { return e.kept }

// take returns the server for a row. take and put are safe for concurrent use.
func (e *Engine) take(ctx context.Context) (*redis.Server, error) {
	if e.server != nil {
		return e.server, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if last := len(e.idle) - 1; last >= 0 {
		one := e.idle[last]
		e.idle = e.idle[:last]
		return one, nil
	}
	one, err := redis.Start(ctx, redis.KindEmbedded)
	if err == nil {
		e.all = append(e.all, one)
	}
	return one, err
}

func (e *Engine) put(one *redis.Server) {
	if e.server == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.idle = append(e.idle, one)
	}
}

// Open prepares a limiter's script for a plan. The script decides until the next Clean.
func (e *Engine) Open(ctx context.Context, p *run.Plan, l *limiter.Limiter) (run.Script, error) {
	one, err := e.take(ctx)
	if err != nil {
		return nil, err
	}
	s, err := e.open(ctx, one, p, l)
	if err != nil {
		return nil, err
	}
	if l.Foreign() && !one.Bounded {
		if e.bounded == nil {
			if e.bounded, err = redis.StartPrivate(ctx, e.spec.Redis, one.Prefix, redis.ScriptMemory); err != nil {
				return nil, err
			}
		}
		if s.before, err = e.open(ctx, e.bounded, p, l); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (e *Engine) open(ctx context.Context, one *redis.Server, p *run.Plan, l *limiter.Limiter) (*onServer, error) {
	r, err := Runner(ctx, one, l.Program,
		virtualtime.Options{Start: p.Scenario.Start, Behind: p.Scenario.ServerClock.Behind()}, e.spec.Clock)
	if err != nil {
		return nil, err
	}
	s := &onServer{Runner: r, engine: e, limiter: l, server: one}
	if l.Gateways != nil {
		turns := l.Gateways.TurnsAfter(0)
		s.route = turns.Next
	}
	e.scripts = append(e.scripts, s)
	return s, nil
}

// Confirm sends the commands of a sequence. It returns an error if the replies differ from those in calls. It is safe
// for concurrent use.
func (e *Engine) Confirm(ctx context.Context, calls []sequence.Call) error {
	one, err := e.take(ctx)
	if err != nil {
		return err
	}
	defer e.put(one)
	// Deadlines must be in the future of the server's own clock, which may differ from ours.
	now, err := one.Client.Time(context.WithoutCancel(ctx)).Result()
	if err == nil {
		err = sequence.Confirm(ctx, one, !one.Own, one.Prefix, calls, now)
	}
	var difference *sequence.DifferenceError
	if err == nil || errors.Is(err, message.ErrInterrupted) || errors.As(err, &difference) {
		return err
	}
	return redis.Explain(err, one)
}

// Clean deletes the keys of the scripts that were opened since the last call. It returns failed, the error of the run,
// or its own error. After a failed run, it deletes keys only on a given server, and counts the keys that it cannot
// delete. Our own server ends after a failed run, and with it its keys.
func (e *Engine) Clean(ctx context.Context, failed error) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	forget := context.AfterFunc(e.now, func() {
		e.spec.Clock.Sleep(ctx, deleting)
		cancel()
	})
	defer forget()
	var undone, onGiven error
	for _, s := range e.scripts {
		e.put(s.server)
		var err error
		switch {
		case s.server.Own && (failed != nil || e.now.Err() != nil):
			if s.Unanswered() { // it may be stuck in the script
				s.server.Abandon()
			}
		case s.server.Hangs():
			err = errors.New("the server does not answer")
		default:
			err = s.Close(ctx)
		}
		if undone = cmp.Or(undone, err); !s.server.Own {
			onGiven = cmp.Or(onGiven, err)
		}
	}
	e.scripts = nil
	if onGiven == nil {
		return cmp.Or(failed, undone)
	}
	e.kept = e.server.Kept()
	if e.now.Err() != nil {
		return failed
	}
	if failed = cmp.Or(failed, undone); e.kept != "" {
		failed = fmt.Errorf("%w; %s", failed, e.kept)
	}
	return failed
}

package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// gcPercent lets garbage grow for longer than usual during a measurement, so that collections are rare. Garbage is
// collected between the measurements.
const gcPercent = 400

// session is a server that is being measured.
type session struct {
	server *redis.Server
	spec   string
	wall   replay.Clock
	ctx    context.Context // ends with an interrupt
	engine *engine.Engine
	began  time.Time

	segments int
	notes    []string
	kept     string // keys that an interrupted job has left on a given server
}

// newSession returns a session that begins now.
func newSession(ctx context.Context, server *redis.Server, spec string, wall replay.Clock) *session {
	return &session{server: server, spec: spec, wall: wall, ctx: ctx, engine: engine.On(ctx, server, wall),
		began: wall.Now()}
}

// begin starts a server.
func begin(ctx context.Context, spec string, connections int, wall replay.Clock) (*session, error) {
	server, note, err := startServer(ctx, spec, connections)
	if err != nil {
		return nil, err
	}
	s := newSession(ctx, server, spec, wall)
	if note != "" {
		s.notes = append(s.notes, note)
	}
	return s, nil
}

// decidePlay decides the played part of a scenario, and records each decision.
func (s *session) decidePlay(p *play) (err error) {
	p.Watch = func(label string) (run.Observer, error) {
		at := slices.IndexFunc(p.rows, func(r *summary) bool { return r.Algorithm == label })
		if at < 0 { // clients with a local flag are not played
			return nil, nil
		}
		return func(_ []limit.Request, decisions []limit.Decision) error {
			for _, d := range decisions {
				p.rows[at].verdicts = append(p.rows[at].verdicts, d.Verdict)
			}
			return nil
		}, nil
	}
	p.virtual, err = s.decide(&p.Plan)
	return err
}

// decide decides a plan in virtual time on the measured server, and deletes the keys that the scripts leave. After an
// interrupt, the error is message.ErrInterrupted.
func (s *session) decide(p *run.Plan) (*result.Run, error) {
	found, _, err := run.Play(s.ctx, p, s.engine)
	if err == nil && found.Partial {
		err = message.ErrInterrupted
	}
	return found, err
}

// stopped reports whether there was an interrupt.
func (s *session) stopped() bool { return s.ctx.Err() != nil }

// since returns the time from the beginning of the session to at, in µs.
func (s *session) since(at time.Time) int64 { return at.Sub(s.began).Microseconds() }

// deleting is how long a job that was stopped, or has failed, may take to delete its keys on a given server.
const deleting = 500 * time.Millisecond

// close deletes the remaining keys under the server's prefix, and stops the server if it is our own. It returns failed.
// Keys that it cannot delete on a given server are noted.
func (s *session) close(ctx context.Context, failed error) error {
	if !s.server.Own {
		failed = s.clear(ctx, failed)
	}
	s.engine.Close()
	if err := s.server.Close(); failed == nil {
		failed = err
	}
	return failed
}

// clear deletes the keys on a given server.
func (s *session) clear(ctx context.Context, failed error) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if s.stopped() || failed != nil {
		go func() { s.wall.Sleep(ctx, deleting); cancel() }()
	}
	err := errors.New("the server does not answer")
	if !s.server.Hangs() {
		err = redis.Delete(ctx, s.server.Client, s.server.Prefix)
	}
	if err == nil {
		return failed
	}
	kept := s.server.Kept()
	switch {
	case kept == "":
		return failed
	case failed == nil && s.stopped():
		s.kept = kept
		return nil
	}
	return fmt.Errorf("%w; %s", cmp.Or(failed, redis.Explain(err, s.server)), kept)
}

// checkServer refuses servers whose latency says nothing about Redis.
func checkServer(spec string, wrong *run.Problems) {
	const instead = "use --redis container, process, redis://HOST:PORT or unix:///SOCKET"
	switch spec {
	case redis.KindEmbedded:
		wrong.Bad(fmt.Errorf("--redis %s: it runs inside this process, and its speed says nothing about Redis; %s",
			spec, instead))
	case run.ModelServer:
		wrong.Bad(fmt.Errorf("--redis %s: it decides without a server, and there is nothing to measure; %s", spec,
			instead))
	}
}

// startServer starts or connects to the server that spec names, over the most direct transport. Without a spec, it
// starts a container if Docker works, else a process; then note has the reason. Errors are a *replay.InputError for an
// invalid spec, or errors of redis.Start.
func startServer(ctx context.Context, spec string, connections int) (s *redis.Server, note string, err error) {
	options := []redis.Option{redis.WithPoolSize(connections), redis.WithDirectTransport()}
	if spec != "" {
		s, err = redis.Start(ctx, spec, options...)
		var bad *redis.BadSpec
		if errors.As(err, &bad) {
			err = &replay.InputError{Err: err}
		}
		return s, "", err
	}
	s, err = redis.Start(ctx, redis.KindContainer, options...)
	var absent *redis.Unavailable
	if !errors.As(err, &absent) {
		return s, "", err
	}
	s, other := redis.Start(ctx, redis.KindProcess, options...)
	if other != nil {
		return nil, "", errors.Join(err, other)
	}
	return s, fmt.Sprintf("a process, since there is no container (%s)",
		strings.TrimPrefix(err.Error(), "container: ")), nil
}

// describe describes the server for the document.
func describe(ctx context.Context, s *redis.Server, spec string) result.BenchServer {
	d := result.BenchServer{
		Server: result.Server{Kind: s.Kind, Name: s.Name, Version: s.Version, Transport: s.Transport},
		Route:  s.Route, Own: s.Own,
	}
	if _, image, _ := strings.Cut(spec, "="); s.Kind == redis.KindContainer {
		d.Image = cmp.Or(image, os.Getenv("REDIS_IMAGE"), redis.DefaultImage)
	}
	d.MaxmemoryPolicy = s.MaxmemoryPolicy(ctx)
	return d
}

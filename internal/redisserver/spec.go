package redisserver

import (
	"context"
	"os"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/registry"
	"ratelab/internal/waiting"
)

// Kinds is the list of specs that Start accepts, for help texts and errors.
const Kinds = "embedded, process, process=PATH, container, container=IMAGE, redis://HOST:PORT, rediss://HOST:PORT or " +
	"unix:///SOCKET"

// Option changes how Start goes about it.
type Option func(*settings)

type settings struct {
	poolSize int
	direct   bool
	memory   int64 // bytes that a server of our own may take beyond those it begins with; 0: any
	visiting bool
	evicts   bool
	notice   func(line string)
	watch    waiting.Watch
	around   *Around // nil: nothing

	// getenv is os.Getenv. The variables are REDIS_SERVER (the program that process runs), REDIS_IMAGE (the container's
	// image) and REDIS_PASSWORD or REDISCLI_AUTH (the password where the URL has none). Docker's and testcontainers'
	// own variables are read by testcontainers.
	getenv func(string) string
}

// WithPoolSize makes Server.Client hold up to n connections; without it, four. At least as many as workers.
func WithPoolSize(n int) Option { return func(s *settings) { s.poolSize = n } }

// WithDirectTransport makes a container's server be reached without Docker's port mapping, which costs more than
// a rate limiter's script does: on a unix socket in a folder that both sides share. Where that is not possible, as
// with a Docker in a virtual machine (macOS, Windows) or on another host, it is the port mapping after all:
// Server.Route tells. The other kinds have nothing in between anyway.
func WithDirectTransport() Option { return func(s *settings) { s.direct = true } }

// ForTrial starts a server of our own for a script that may do anything; the embedded one is then a process of its own.
// It may take so many bytes beyond what it begins with: the scripts of a process on Linux then run out of memory, the
// embedded server and a container end, and a process elsewhere has no bound. It is not said when it does not answer:
// the caller waits for no longer than it means to.
func ForTrial(bytes int64) Option { return func(s *settings) { s.memory = bytes } }

// WithNotices has notice called with a line for the user, before Start returns, where Start did more than was asked
// for: on a user's server it deletes what dead runs left. nil is nobody who listens.
func WithNotices(notice func(line string)) Option {
	return func(s *settings) {
		if notice != nil {
			s.notice = notice
		}
	}
}

// WithoutEntry is for those who write no keys on a user's server: they are not in its registry, and nothing that dead
// runs left is deleted.
func WithoutEntry() Option { return func(s *settings) { s.visiting = true } }

// WithEviction lets a user's server be one that evicts keys when its memory is full.
func WithEviction(allowed bool) Option { return func(s *settings) { s.evicts = allowed } }

// Start gets the server that spec names, one of Kinds, and does not return it before it has answered, let a
// script write under Server.Prefix and proved to know the commands that virtual time needs. ctx bounds the
// start only: a server that was started lives until Close. Errors are a *BadSpec for a spec that cannot be
// meant, an *Unavailable for a server that cannot be used, or the context's. The watch that ctx carries hears of long
// waits, those of the server's clients too, and its interrupt ends the start and later calls that bring no answer.
func Start(ctx context.Context, spec string, opts ...Option) (*Server, error) {
	set := settings{poolSize: 4, getenv: os.Getenv, notice: func(string) {}, watch: waiting.Of(ctx)}
	for _, o := range opts {
		o(&set)
	}
	if err := CheckKind(spec); err != nil {
		return nil, err
	}
	switch kind, argument, _ := strings.Cut(spec, "="); kind {
	case KindEmbedded:
		return startEmbedded(ctx, set)
	case KindProcess:
		return startProcess(ctx, argument, set)
	case KindContainer:
		return startContainer(ctx, argument, set)
	}
	return startURL(ctx, spec, set)
}

// CheckKind says, as a *BadSpec, why spec names no kind of server, before anything takes long.
func CheckKind(spec string) error {
	kind, argument, given := strings.Cut(spec, "=")
	several := kind == KindProcess || kind == KindContainer
	switch {
	case several && given && argument == "":
		return badSpec("server %q: nothing after the =; want %s", spec, Kinds)
	case several || spec == KindEmbedded || strings.Contains(spec, "://"):
		return nil
	}
	return unknownSpec(spec)
}

// hostPort is what people write who forget the scheme, and short enough words to hold no password.
var (
	hostPort = onDemand(`^[A-Za-z0-9.-]{1,255}:[0-9]{1,5}$`)
	word     = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)
)

// unknownSpec quotes only what cannot hold a password: a URL whose scheme was mistyped can.
func unknownSpec(spec string) error {
	switch {
	case hostPort().MatchString(spec):
		return badSpec("server %q: a scheme is missing; want redis://%s, or rediss://%s with TLS", spec, spec, spec)
	case word.MatchString(spec):
		return badSpec("server %s: no such kind; want %s", message.Quote(spec), Kinds)
	}
	return badSpec("server: what was given is no kind of server %s; want %s", notRepeated, Kinds)
}

func startURL(ctx context.Context, spec string, set settings) (s *Server, err error) {
	t, err := parseURL(spec, set.getenv)
	if err != nil {
		return nil, err
	}
	err = waiting.During(ctx, t.label+" to answer", time.After, func(ctx context.Context) error {
		if err := greet(ctx, t); err != nil {
			return err
		}
		s = newServer(KindURL, t, set)
		run := registry.New(randomID())
		s.Prefix = run.KeyPrefix()
		return s.started(ctx, func(ctx context.Context) error {
			err := s.identify(ctx)
			if err == nil && !set.visiting {
				err = s.refuseEviction(ctx, set.evicts)
			}
			if err == nil && !set.visiting {
				err = s.enter(ctx, run, set.notice)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// started lets a start take its last steps. Where they fail, and as soon as ctx is done, the server is ended.
func (s *Server) started(ctx context.Context, steps func(context.Context) error) error {
	// a call under way hears of no context
	stop := context.AfterFunc(ctx, func() { s.target.wires.sever(!s.entered()) })
	err := steps(ctx)
	stop()
	if err == nil {
		return nil
	}
	s.Close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// newServer is a server of the kind at t, with its client, not yet spoken to.
func newServer(kind string, t target, set settings) *Server {
	watch := set.watch
	if set.memory > 0 {
		watch.Say = nil
	}
	t.wires = newWires(watch, t.label)
	s := &Server{Kind: kind, Transport: t.transport(), Prefix: ownPrefix, Own: kind != KindURL, target: t}
	s.Client = s.NewClient(set.poolSize)
	return s
}

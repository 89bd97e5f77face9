package redisserver

import (
	"context"
	"os"
	"regexp"
	"strings"
)

// Kinds is the list of specs that Start accepts, for help texts and errors.
const Kinds = "embedded, process, process=PATH, container, container=IMAGE, redis://HOST:PORT, rediss://HOST:PORT or unix:///SOCKET"

// Option changes how Start goes about it.
type Option func(*settings)

type settings struct {
	poolSize int
	direct   bool
	evicts   bool
	getenv   func(string) string
}

// WithPoolSize makes Server.Client hold up to n connections; without it, four. At least as many as workers.
func WithPoolSize(n int) Option { return func(s *settings) { s.poolSize = n } }

// WithDirectTransport makes a container's server be reached without Docker's port mapping, which costs more than
// a rate limiter's script does: on a unix socket in a folder that both sides share. Where that is not possible, as
// with a Docker in a virtual machine (macOS, Windows) or on another host, it is the port mapping after all:
// Server.Route tells. The other kinds have nothing in between anyway.
func WithDirectTransport() Option { return func(s *settings) { s.direct = true } }

// WithEviction lets a user's server be one that evicts keys when its memory is full.
func WithEviction(allowed bool) Option { return func(s *settings) { s.evicts = allowed } }

// WithEnv replaces os.Getenv. The variables are REDIS_SERVER (the program that process runs), REDIS_IMAGE (the
// container's image) and REDIS_PASSWORD or REDISCLI_AUTH (the password where the URL has none). Docker's and
// testcontainers' own variables are read by testcontainers.
func WithEnv(getenv func(string) string) Option { return func(s *settings) { s.getenv = getenv } }

// Start gets the server that spec names, one of Kinds, and does not return it before it has answered, let a
// script write under Server.Prefix and proved to know the commands that virtual time needs. ctx bounds the
// start only: a server that was started lives until Close. Errors are a *BadSpec for a spec that cannot be
// meant, an *Unavailable for a server that cannot be used, or the context's.
func Start(ctx context.Context, spec string, opts ...Option) (*Server, error) {
	set := settings{poolSize: 4, getenv: os.Getenv}
	for _, o := range opts {
		o(&set)
	}
	kind, argument, given := strings.Cut(spec, "=")
	if given && argument == "" && (kind == KindProcess || kind == KindContainer) {
		return nil, badSpec("server %q: nothing after the =; want %s", spec, Kinds)
	}
	switch {
	case spec == KindEmbedded:
		return startEmbedded(ctx, set)
	case kind == KindProcess:
		return startProcess(ctx, argument, set)
	case kind == KindContainer:
		return startContainer(ctx, argument, set)
	case strings.Contains(spec, "://"):
		return startURL(ctx, spec, set)
	}
	return nil, unknownSpec(spec)
}

// hostPort is what people write who forget the scheme, and short enough words to hold no password.
var (
	hostPort = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]{1,5}$`)
	word     = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)
)

// unknownSpec quotes only what cannot hold a password: a URL whose scheme was mistyped can.
func unknownSpec(spec string) error {
	switch {
	case hostPort.MatchString(spec):
		return badSpec("server %q: a scheme is missing; want redis://%s, or rediss://%s with TLS", spec, spec, spec)
	case word.MatchString(spec):
		return badSpec("server %q: no such kind; want %s", spec, Kinds)
	}
	return badSpec("server: what was given is no kind of server (not repeated here, it may hold a password); want %s", Kinds)
}

func startURL(ctx context.Context, spec string, set settings) (*Server, error) {
	t, err := parseURL(spec, set.getenv)
	if err != nil {
		return nil, err
	}
	if err := greet(ctx, t); err != nil {
		return nil, err
	}
	s := newServer(KindURL, t, set)
	s.Prefix = randomPrefix()
	err = s.identify(ctx)
	if err == nil {
		err = s.refuseEviction(ctx, set.evicts)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// newServer is a server of the kind at t, with its client, not yet spoken to.
func newServer(kind string, t target, set settings) *Server {
	s := &Server{Kind: kind, Transport: t.transport(), Prefix: ownPrefix, Own: kind != KindURL, target: t}
	s.Client = s.NewClient(set.poolSize)
	return s
}

package redis

import (
	"cmp"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/message"
)

// Kinds lists the specs that Start accepts, for help texts and errors.
const Kinds = "embedded, process, process=PATH, container, container=IMAGE, redis://HOST:PORT, rediss://HOST:PORT or " +
	"unix:///SOCKET"

// Option changes a setting of Start.
type Option func(*settings)

type settings struct {
	poolSize int
	direct   bool
	memory   int64           // the most that our own server may take beyond its use at the start, in bytes; 0: no limit
	ctx      context.Context // of Start: an interrupt ends calls without a reply, and its notice reports long waits
	around   *Around         // nil: no program around the server

	// getenv is os.Getenv. The variables are REDIS_SERVER (the program that process runs), REDIS_IMAGE (the container's
	// image) and REDIS_PASSWORD or REDISCLI_AUTH (the password if the URL has none). testcontainers reads Docker's and
	// its own variables.
	getenv func(string) string
}

// WithPoolSize lets Server.Client have up to n connections instead of four. Use at least the number of workers.
func WithPoolSize(n int) Option { return func(s *settings) { s.poolSize = n } }

// WithDirectTransport connects to a container's server through a unix socket in a shared folder. Docker's port mapping
// costs more time than a rate limiter's script. If the folder cannot be shared, the port mapping is used after all: for
// example with a Docker in a virtual machine (macOS, Windows) or on another host. Server.Route has the route that is
// used. The option does not change the other kinds, which are always reached directly.
func WithDirectTransport() Option { return func(s *settings) { s.direct = true } }

// ForTrial starts a server of our own for a script that may do anything. The embedded server then runs in a process of
// its own. The server may take the given bytes in addition to those at its start. Beyond this limit, scripts of a
// process on Linux get an out-of-memory error, and an embedded server or a container ends. A process on another system
// has no limit. Long waits for this server are not reported, because the caller has a time limit of its own.
func ForTrial(bytes int64) Option { return func(s *settings) { s.memory = bytes } }

// Within runs a server of our own inside another program. A container then runs as root and without its entrypoint.
func Within(a Around) Option { return func(s *settings) { s.around = &a } }

// Start starts or connects to the server that spec names, one of Kinds. Before it returns, the server has answered, has
// let a script write under Server.Prefix, and has shown that it knows the commands of virtual time. A given server must
// be empty.
//
// ctx bounds only the start: a started server lives until Close. The notice of ctx reports long waits, also those of
// the server's clients. An interrupt of ctx ends the start, and later calls that get no reply.
//
// The error is a *BadSpec for a spec that names no server, an *Unavailable for a server that cannot be used, or the
// context's.
func Start(ctx context.Context, spec string, opts ...Option) (*Server, error) {
	set := settings{poolSize: 4, getenv: os.Getenv, ctx: ctx}
	for _, o := range opts {
		o(&set)
	}
	if err := checkKind(spec); err != nil {
		return nil, err
	}
	var s *Server
	var err error
	switch kind, argument, _ := strings.Cut(spec, "="); kind {
	case KindEmbedded:
		s, err = startEmbedded(ctx, set)
	case KindProcess:
		s, err = startProcess(ctx, argument, set)
	case KindContainer:
		s, err = startContainer(ctx, argument, set)
	default:
		s, err = startURL(ctx, spec, set)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// checkKind returns a *BadSpec if spec names no kind of server. Start calls it before any slow step.
func checkKind(spec string) error {
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

// hostPort matches an address without a scheme. word matches texts that cannot hold a password.
var (
	hostPort = onDemand(`^[A-Za-z0-9.-]{1,255}:[0-9]{1,5}$`)
	word     = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)
)

// unknownSpec quotes a spec only if it cannot hold a password. A URL with a mistyped scheme can hold one.
func unknownSpec(spec string) error {
	switch {
	case hostPort().MatchString(spec):
		return badSpec("server %q: a scheme is missing; want redis://%s, or rediss://%s with TLS", spec, spec, spec)
	case word.MatchString(spec):
		return badSpec("server %s: no such kind; want %s", message.Quote(spec), Kinds)
	}
	return badSpec("server: unknown kind of server %s; want %s", notRepeated, Kinds)
}

func startURL(ctx context.Context, spec string, set settings) (*Server, error) {
	t, err := parseURL(spec, set.getenv)
	if err != nil {
		return nil, err
	}
	set.memory = 0 // a given server cannot be bounded
	s := newServer(KindURL, t, set)
	s.Prefix = randomPrefix()
	return s, during(ctx, t.label+" to answer", func(ctx context.Context) error {
		if err := greet(ctx, t); err != nil {
			s.Close()
			return err
		}
		return s.started(ctx, s.identify)
	})
}

// within calls started and reports long waits for what.
func (s *Server) within(ctx context.Context, what string, steps func(context.Context) error) (*Server, error) {
	return s, during(ctx, what, func(ctx context.Context) error { return s.started(ctx, steps) })
}

// started runs the last steps of a start. It ends the server if they fail, and as soon as ctx is done.
func (s *Server) started(ctx context.Context, steps func(context.Context) error) error {
	// a call under way does not notice that ctx is done
	stop := context.AfterFunc(ctx, func() { s.target.wires.sever(true) })
	err := steps(ctx)
	stop()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		s.Abandon() // a program that hangs does not react to a request to stop
		err = ctx.Err()
	}
	s.Close()
	return err
}

// newServer returns a server of the kind at t with its client. It does not connect.
func newServer(kind string, t target, set settings) *Server {
	ctx := set.ctx
	if set.memory > 0 {
		ctx = message.WithNotice(ctx, nil)
	}
	t.wires, t.patience = newWires(ctx, t.label), BatchTime
	if set.around != nil {
		t.patience = aroundTime
	}
	return &Server{Kind: kind, Transport: t.transport(), Prefix: ownPrefix, Own: kind != KindURL, target: t,
		Bounded: set.memory > 0, Client: newClient(t, set.poolSize), turn: make(chan struct{}, 1)}
}

// soon is how long a wait lasts before it is reported. It is reported again each time it has doubled.
const soon = 3 * time.Second

// during runs f and reports a long wait for what to the notice of ctx. After an interrupt it returns
// message.ErrInterrupted. It gives up lastPatience after ctx is done, because Docker's client ignores the context in
// some calls.
func during(ctx context.Context, what string, f func(context.Context) error) error {
	result := make(chan error, 1)
	go func() { result <- f(ctx) }()
	done := ctx.Done()
	var over <-chan time.Time
	var err error
	waited, next := time.Duration(0), soon
	for running := true; running; {
		select {
		case err = <-result:
			running = false
		case <-time.After(next - waited):
			waited, next = next, 2*next
			message.Waited(ctx, what, waited)
		case <-done:
			done, over = nil, time.After(lastPatience)
		case <-over:
			err, running = ctx.Err(), false
		}
	}
	if message.Interrupted(ctx) && errors.Is(err, context.Canceled) {
		return message.WaitInterrupted(what)
	}
	return err
}

// IsGiven reports whether spec names a server that runs already.
func IsGiven(spec string) bool { return strings.Contains(spec, "://") }

// ScriptMemory is the memory, in bytes, that a server for users' scripts may take in a run.
const ScriptMemory = 2 << 30

// StartPrivate starts a server of our own for users' scripts. If spec names a kind that Start starts, the server is of
// that kind, so that the same scripts compile. If spec names a given server, Choose chooses the kind instead.
//
// Its keys begin with prefix, or with the prefix of all our own servers if prefix is "". It may take memory bytes. An
// embedded server runs in a process of its own, because its Lua cannot be stopped.
func StartPrivate(ctx context.Context, spec, prefix string, memory int64) (*Server, error) {
	var err error
	if checkKind(spec) != nil || IsGiven(spec) {
		if spec, _, err = Choose(ctx); err != nil {
			return nil, err
		}
	}
	s, err := Start(ctx, spec, ForTrial(memory))
	if err != nil {
		return nil, err
	}
	s.Prefix = cmp.Or(prefix, s.Prefix)
	return s, nil
}

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

// Kinds is the list of specs that Start accepts, for help texts and errors.
const Kinds = "embedded, process, process=PATH, container, container=IMAGE, redis://HOST:PORT, rediss://HOST:PORT or " +
	"unix:///SOCKET"

// Option changes how Start goes about it.
type Option func(*settings)

type settings struct {
	poolSize int
	direct   bool
	memory   int64           // bytes that a server of our own may take beyond those it begins with; 0: any
	ctx      context.Context // of Start: an interrupt ends calls that bring no reply, and its notice hears of waits
	around   *Around         // nil: nothing

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

// Within runs a server of our own inside another program. A container then runs as root and without its entrypoint.
func Within(a Around) Option { return func(s *settings) { s.around = &a } }

// Start gets the server that spec names, one of Kinds, and does not return it before it has answered, let a
// script write under Server.Prefix and proved to know the commands that virtual time needs. A given server must be
// empty. ctx bounds the start only: a server that was started lives until Close. Errors are a *BadSpec for a spec that
// cannot be meant, an *Unavailable for a server that cannot be used, or the context's. The notice of ctx hears of
// long waits, those of the server's clients too. An interrupt of ctx ends the start and later calls that bring no
// reply.
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

// checkKind says, as a *BadSpec, why spec names no kind of server, before anything takes long.
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

// within is started, and says what is waited for.
func (s *Server) within(ctx context.Context, what string, steps func(context.Context) error) (*Server, error) {
	return s, during(ctx, what, func(ctx context.Context) error { return s.started(ctx, steps) })
}

// started lets a start take its last steps. Where they fail, and as soon as ctx is done, the server is ended.
func (s *Server) started(ctx context.Context, steps func(context.Context) error) error {
	// a call under way hears of no context
	stop := context.AfterFunc(ctx, func() { s.target.wires.sever(true) })
	err := steps(ctx)
	stop()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		s.Abandon() // a program that hangs does not end when it is asked to
		err = ctx.Err()
	}
	s.Close()
	return err
}

// newServer is a server of the kind at t, with its client, not yet spoken to.
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

// soon is after how long a wait is worth a word. From then on there is one whenever it has doubled.
const soon = 3 * time.Second

// during runs f, and tells the notice of ctx how long it takes. After an interrupt the error is message.ErrInterrupted.
// during gives f up some time after ctx is done: Docker's client ignores the context in some calls.
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

// ScriptMemory is how much, in bytes, a server that runs users' scripts alone may take in a run.
const ScriptMemory = 2 << 30

// StartPrivate starts a server of our own for users' scripts. If spec names a kind that is ours, the server is of this
// kind, so that the same scripts compile. In place of a given server it is the one that Choose chooses.
//
// Its keys begin with prefix; "": with that of all servers of ours. It may take so many bytes of memory: the embedded
// one is a process of its own, since its Lua obeys nothing.
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

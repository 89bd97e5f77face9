package load

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// Endpoint is where a program is called.
type Endpoint struct {
	Client redis.Cmdable // loads scripts
	Open   Opener        // of the connections on which it is called
}

// Target is a program on a server, called as it is deployed: EVALSHA, the server's own clock and TTLs. It is safe for
// concurrent use.
type Target struct {
	server       Endpoint
	program      *script.Program
	clock        Stopwatch
	decide, init evalsha

	inits sync.Map // func() error, once, by the request's key

	mu      sync.Mutex
	sockets []*Socket

	initCalls, ids atomic.Int64
}

// firstID begins far from the numbers of virtual time, whose entries the keys may already have.
const firstID = 1e15

// Prepare loads the program's scripts, which are told the clock's time.
func Prepare(ctx context.Context, server Endpoint, program *script.Program, clock Stopwatch) (*Target, error) {
	t := &Target{server: server, program: program, clock: clock}
	t.ids.Store(firstID)
	sha, err := server.Client.ScriptLoad(ctx, program.Source).Result()
	if err != nil {
		return nil, err
	}
	t.decide = newEvalsha(sha, program.Decide)
	if program.Init != nil {
		if sha, err = server.Client.ScriptLoad(ctx, program.InitSource).Result(); err != nil {
			return nil, fmt.Errorf("init: %w", err)
		}
		t.init = newEvalsha(sha, *program.Init)
	}
	return t, nil
}

// InitCalls is how many times the init script has been called, each an EVALSHA that a server's statistics count
// with the decisions.
func (t *Target) InitCalls() int64 { return t.initCalls.Load() }

// Connect opens a connection, until Close. When ctx is done the call under way fails with its error.
func (t *Target) Connect(ctx context.Context) (*Connection, error) {
	socket, err := Dial(ctx, t.server.Open, t.clock.Now)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sockets = append(t.sockets, socket)
	return &Connection{target: t, socket: socket}, nil
}

// Introduce does for keys what else is done at their first requests, beside the measured calls: init.
func (t *Target) Introduce(ctx context.Context, keys []string) error {
	if t.program.Init == nil {
		return nil
	}
	c, err := t.Connect(ctx)
	for i := 0; i < len(keys) && err == nil; i++ {
		_, err = c.meet(keys[i])
	}
	return err
}

// Close ends the connections. It must not be called while a call is under way.
func (t *Target) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sockets {
		s.Close()
	}
}

// decision is what the reply to a call at an instant means.
func (t *Target) decision(reply resp.Value, nowUS int64) (limit.Decision, error) {
	refused := refusal(reply)
	if refused != nil && strings.HasPrefix(reply.Text, "NOSCRIPT") { // the script did not make this reply
		return limit.Decision{}, refused
	}
	d, err := t.program.Decision(reply, nowUS)
	if err != nil {
		err = cmp.Or(refused, err)
	}
	return d, err
}

// refusal returns the error of an error reply, or nil.
func refusal(reply resp.Value) error {
	if reply.Kind != resp.Error {
		return nil
	}
	return resp.ReplyError(strings.Clone(reply.Text)) // it lies where the next reply is read
}

// evalsha is one way of calling a script: what no call changes, as the server reads it, and the arguments behind it.
type evalsha struct {
	head      []byte
	templates []script.Template
}

func newEvalsha(sha string, c script.Call) evalsha {
	e := evalsha{templates: slices.Concat(c.Keys, c.Args)}
	e.head = resp.AppendHeader(nil, '*', 3+len(e.templates))
	for _, text := range []string{"EVALSHA", sha, strconv.Itoa(len(c.Keys))} {
		e.head = resp.AppendText(e.head, text)
	}
	return e
}

// append writes one call to dst; scratch is room for an argument, given back to be used again.
func (e evalsha) append(dst, scratch []byte, v script.Vars) (out, room []byte) {
	dst = append(dst, e.head...)
	for _, t := range e.templates {
		scratch = t.Append(scratch[:0], &v)
		dst = resp.AppendText(dst, scratch)
	}
	return dst, scratch
}

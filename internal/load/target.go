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

// Endpoint is a server on which a program is called.
type Endpoint struct {
	Client redis.Cmdable // loads scripts
	Open   Opener        // opens the connections for the calls
}

// Target is a program on a server, called as it is deployed: with EVALSHA, the server's own clock and TTLs. It is safe
// for concurrent use.
type Target struct {
	server       Endpoint
	program      *script.Program
	clock        Stopwatch
	decide, init evalsha

	inits sync.Map // by key: func() error that calls init once

	mu      sync.Mutex
	sockets []*Socket

	initCalls, ids atomic.Int64
}

// firstID is far from the request numbers of virtual time. The keys may still have entries with those numbers.
const firstID = 1e15

// Prepare loads the program's scripts. The scripts are told the time of the given clock.
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

// InitCalls returns how often the init script was called. Each call is an EVALSHA, which the server's statistics count
// together with the decisions.
func (t *Target) InitCalls() int64 { return t.initCalls.Load() }

// Connect opens a connection, which Close closes. If ctx ends, the call in progress fails with the error of ctx.
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

// Introduce calls init for keys before the measurement. Other keys get init at their first request.
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

// Close closes all connections. There must be no call in progress.
func (t *Target) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sockets {
		s.Close()
	}
}

// decision converts the reply to a call at an instant.
func (t *Target) decision(reply resp.Value, nowUS int64) (limit.Decision, error) {
	refused := refusal(reply)
	if refused != nil && strings.HasPrefix(reply.Text, "NOSCRIPT") { // the error is not from the script
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
	return resp.ReplyError(strings.Clone(reply.Text)) // clone: the next reply overwrites the text
}

// evalsha is the EVALSHA command of one script: the constant part, already encoded, and the templates of the arguments.
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

// append appends the command for one call to dst. scratch is a buffer for one argument, which is returned for reuse.
func (e evalsha) append(dst, scratch []byte, v script.Vars) (out, room []byte) {
	dst = append(dst, e.head...)
	for _, t := range e.templates {
		scratch = t.Append(scratch[:0], &v)
		dst = resp.AppendText(dst, scratch)
	}
	return dst, scratch
}

package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"ratelab/internal/resp"
)

// dialTimeout bounds everything before the first useful answer.
const dialTimeout = 5 * time.Second

// BatchTime bounds one call afterwards. A call may be a batch of decisions, which is kept to about 50 ms of the server:
// beyond it a script loops, or the server does not answer any more.
const BatchTime = 10 * time.Second

// aroundTime bounds one call of a server inside another program, such as one that counts its instructions.
const aroundTime = 30 * time.Second

// target is where a server is and how to log in.
type target struct {
	network  string // tcp, unix or pipe
	addr     string
	label    string // what errors call it: no user, no password
	user     string // "" is the default user
	password secret // nil: none
	db       int
	tls      *tls.Config // nil: plain
	dial     func(ctx context.Context) (net.Conn, error)
	wires    *wires        // the connections of the server's clients
	patience time.Duration // for a call
}

// secret reveals a password. No formatting verb does, whereas fmt would call no method of an unexported field.
type secret func() string

// transport is the name of the connection's kind in results.
func (t target) transport() string {
	switch {
	case t.network == "pipe":
		return TransportPipe
	case t.network == "unix":
		return TransportUnix
	case t.tls != nil:
		return TransportTLS
	}
	return TransportTCP
}

// connect opens one connection, with TLS where the target has it.
func (t target) connect(ctx context.Context) (net.Conn, error) {
	if t.dial != nil {
		return t.dial(ctx)
	}
	d := net.Dialer{Timeout: dialTimeout}
	if t.tls == nil {
		return d.DialContext(ctx, t.network, t.addr)
	}
	return (&tls.Dialer{NetDialer: &d, Config: t.tls}).DialContext(ctx, t.network, t.addr)
}

// wire opens a connection for a client.
func (t target) wire(ctx context.Context) (net.Conn, error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	return t.wires.attach(conn)
}

// Client is what a *goredis.Client of go-redis can do, as far as anybody here wants it.
//
// Note: it is an interface because that type has some five hundred methods. Each package that names it, or uses one
// whose exported names reach it, takes a second and a half longer to compile; this file alone does.
type Client interface {
	goredis.Cmdable
	Do(ctx context.Context, args ...any) *goredis.Cmd
	Process(ctx context.Context, cmd goredis.Cmder) error
	AddHook(goredis.Hook)
	Close() error
}

func newClient(t target, poolSize int) Client { return goredis.NewClient(options(t, poolSize)) }

// Open opens a connection to the server, logged in and in its database, on which RESP2 is spoken and nothing comes
// unasked. It is the caller's to close, nobody else uses it, and it has no deadline.
func (s *Server) Open(ctx context.Context) (net.Conn, error) {
	o := options(s.target, 1)
	dial := o.Dialer
	var dialled atomic.Pointer[net.Conn] // by a goroutine of the client's, which may outlive a failed call
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		dialled.Store(&c)
		return c, err
	}
	client := goredis.NewClient(o)
	if err := client.Ping(ctx).Err(); err != nil {
		client.Close()
		return nil, err
	}
	conn := *dialled.Load()
	if err := conn.SetDeadline(time.Time{}); err != nil { // the one of PING
		client.Close()
		return nil, err
	}
	return ownConn{conn, client.Close}, nil
}

// ownConn is a connection that lasts until the client is closed which has logged in on it.
type ownConn struct {
	net.Conn
	end func() error
}

// Close closes the connection, and then the client, which would wait for a Read that is under way.
func (c ownConn) Close() error {
	err := c.Conn.Close()
	_ = c.end() // it closes the connection again
	return err
}

// options are go-redis' for this target. Nothing is sent that a narrow ACL would refuse (CLIENT SETINFO, the
// maintenance notifications), nothing is tried twice, and the credentials are behind a function, so that
// printing the options shows none.
func options(t target, poolSize int) *goredis.Options {
	silence()
	o := &goredis.Options{
		Network: "tcp", Addr: t.addr, DB: t.db,
		Dialer:   func(ctx context.Context, _, _ string) (net.Conn, error) { return t.wire(ctx) },
		Protocol: 2, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		MaxRetries:               -1, DialerRetries: 1,
		DialTimeout: dialTimeout, ReadTimeout: t.patience, WriteTimeout: t.patience,
		ContextTimeoutEnabled: true,
		PoolSize:              poolSize, PipelinePoolSize: -1,
	}
	if t.password != nil && t.password() != "" {
		o.CredentialsProvider = func() (string, string) { return t.user, t.password() }
	}
	return o
}

// silence turns off go-redis' own logger, which writes each failed dial to stderr beside our one line.
var silence = sync.OnceFunc(logging.Disable)

// Send sends commands together. It returns their replies as they came, in RESP2: what the server objects to is one of
// them. The error is the connection's.
//
// On a Bounded server one call is under way at a time. So the call that is not answered in time is the one whose script
// loops. After an error of the connection, the other calls wait until ctx is done: the first error has the cause.
func (s *Server) Send(ctx context.Context, commands ...[]any) ([][]byte, error) {
	if s.Bounded {
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	pipe := s.Client.Pipeline()
	sent := make([]*goredis.RawCmd, len(commands))
	for i, args := range commands {
		sent[i] = goredis.NewRawCmd(ctx, args...)
		_ = pipe.Process(ctx, sent[i]) // queued, never sent here
	}
	if _, err := pipe.Exec(ctx); err != nil {
		var names []string
		for _, args := range commands {
			names = append(names, fmt.Sprint(args[0]))
		}
		return nil, resp.Named(err, strings.Join(slices.Compact(names), ", "))
	}
	if s.Bounded {
		<-s.turn
	}
	replies := make([][]byte, len(sent))
	for i, cmd := range sent {
		replies[i] = cmd.Val()
	}
	return replies, nil
}

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

// dialTimeout bounds each step before the first useful reply: connecting, the greeting, the login and the checks.
const dialTimeout = 5 * time.Second

// BatchTime bounds one call afterwards. A call may be a batch of decisions, which takes the server about 50 ms. If it
// takes longer than BatchTime, a script loops or the server does not answer.
const BatchTime = 10 * time.Second

// aroundTime bounds one call on a server inside another program, such as one that counts instructions.
const aroundTime = 30 * time.Second

// target is the address of a server and its login.
type target struct {
	network  string // tcp, unix or pipe
	addr     string
	label    string // the server's name in errors, without user and password
	user     string // "": the default user
	password secret // nil: none
	db       int
	tls      *tls.Config // nil: no TLS
	dial     func(ctx context.Context) (net.Conn, error)
	wires    *wires        // the connections of the server's clients
	patience time.Duration // the time limit of a call
}

// secret returns a password. It is a function because no formatting verb shows what a function returns. A String method
// would not help: fmt does not call the methods of unexported fields.
type secret func() string

// transport returns the connection's kind by its name in results.
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

// connect opens one connection, with TLS if the target has it.
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

// wire opens a connection for a client and watches it.
func (t target) wire(ctx context.Context) (net.Conn, error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	return t.wires.attach(conn)
}

// Client has those methods of a *goredis.Client that this program uses.
//
// Note: it is an interface because that type has some five hundred methods. Each package that names the type, or uses a
// type whose exported names reach it, takes 1.5 s longer to compile. With the interface, only this file names it.
type Client interface {
	goredis.Cmdable
	Do(ctx context.Context, args ...any) *goredis.Cmd
	Process(ctx context.Context, cmd goredis.Cmder) error
	AddHook(goredis.Hook)
	Close() error
}

func newClient(t target, poolSize int) Client { return goredis.NewClient(options(t, poolSize)) }

// Open opens a connection to the server, logged in and with its database selected. The connection speaks RESP2 and has
// no deadline. Only the caller uses it, and the caller closes it. The server sends nothing unasked.
func (s *Server) Open(ctx context.Context) (net.Conn, error) {
	o := options(s.target, 1)
	dial := o.Dialer
	var dialled atomic.Pointer[net.Conn] // set in the client's goroutine, which may outlive a failed call
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
	if err := conn.SetDeadline(time.Time{}); err != nil { // remove PING's deadline
		client.Close()
		return nil, err
	}
	return ownConn{conn, client.Close}, nil
}

// ownConn is a connection from a client that has logged in on it. The connection lasts until that client is closed.
type ownConn struct {
	net.Conn
	end func() error
}

// Close closes the connection and then the client, which would otherwise wait for a Read under way.
func (c ownConn) Close() error {
	err := c.Conn.Close()
	_ = c.end() // it closes the connection a second time; ignore the error
	return err
}

// options returns go-redis's options for this target. The client sends nothing that a narrow ACL would refuse (CLIENT
// SETINFO, the maintenance notifications), and retries nothing. The credentials are behind a function, so that printing
// the options does not show them.
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

// silence turns off go-redis's own logger, which would write each failed dial to stderr besides our one line.
var silence = sync.OnceFunc(logging.Disable)

// Send sends the commands together and returns their raw RESP2 replies. A server's error reply is one of the replies.
// The error is the connection's.
//
// On a Bounded server only one call is under way at a time. So a call that gets no answer in time is the call whose
// script loops. After an error of the connection, the other calls wait until ctx is done, so that the first error
// reports the cause.
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
		_ = pipe.Process(ctx, sent[i]) // only queues the command
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

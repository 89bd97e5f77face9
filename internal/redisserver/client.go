package redisserver

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Client is what a *redis.Client of go-redis can do, as far as anybody here wants it.
//
// Note: it is an interface because that type has some five hundred methods. Each package that names it, or uses one
// whose exported names reach it, takes a second and a half longer to compile; this file alone does.
type Client interface {
	redis.Cmdable
	Do(ctx context.Context, args ...any) *redis.Cmd
	Process(ctx context.Context, cmd redis.Cmder) error
	AddHook(redis.Hook)
	Close() error
}

func newClient(t target, poolSize int) Client { return redis.NewClient(options(t, poolSize)) }

// NewClient is a client as a program of its own has one: go-redis as it comes, over the connections that dial makes,
// with that version of RESP. It tries nothing twice.
func NewClient(protocol int, dial func(context.Context) (net.Conn, error)) Client {
	return redis.NewClient(&redis.Options{Protocol: protocol, DisableIdentity: true, MaxRetries: -1, PoolSize: 2,
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }})
}

// DialTo dials that address.
func DialTo(network, address string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
}

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
	client := redis.NewClient(o)
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

// Close closes the client, and so the connection.
func (c ownConn) Close() error { return c.end() }

// options are go-redis' for this target. Nothing is sent that a narrow ACL would refuse (CLIENT SETINFO, the
// maintenance notifications), nothing is tried twice, and the credentials are behind a function, so that
// printing the options shows none.
func options(t target, poolSize int) *redis.Options {
	silence()
	o := &redis.Options{
		Network: "tcp", Addr: t.addr, DB: t.db,
		Dialer:   func(ctx context.Context, _, _ string) (net.Conn, error) { return t.wire(ctx) },
		Protocol: 2, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		MaxRetries:               -1, DialerRetries: 1,
		DialTimeout: dialTimeout, ReadTimeout: callTimeout, WriteTimeout: callTimeout,
		ContextTimeoutEnabled: true,
		PoolSize:              poolSize, PipelinePoolSize: -1,
	}
	if t.password.reveal() != "" {
		o.CredentialsProvider = func() (string, string) { return t.user, t.password.reveal() }
	}
	return o
}

// silence turns off go-redis' own logger, which writes each failed dial to stderr beside our one line.
var silence = sync.OnceFunc(logging.Disable)

package redisclock

import (
	"context"
	"net"

	goredis "github.com/redis/go-redis/v9"
)

// Dialer opens connections that are under Clock. Its methods have the types that drivers need: DialContext fits
// go-redis' Options.Dialer, redigo's DialContextFunc and radix' NetDialer. Dial fits redigo's DialNetDial. A driver
// must open all its connections with the Dialer, since other connections have the server's own time.
type Dialer struct {
	Clock *Clock
	// Open opens a connection to the Redis, with TLS if needed; nil: as a net.Dialer does.
	Open func(ctx context.Context, network, address string) (net.Conn, error)
}

// DialContext opens a connection. It returns the error of Open.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	open := d.Open
	if open == nil {
		open = new(net.Dialer).DialContext
	}
	server, err := open(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return d.Clock.Conn(server), nil
}

// Dial opens a connection, without a time limit.
func (d Dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// Hook returns a hook that puts a go-redis client under the clock: client.AddHook(clock.Hook()). Add it before the
// client's first command. A client that opens connections in advance (MinIdleConns) needs a Dialer instead.
func (c *Clock) Hook() goredis.Hook { return hook{c} }

type hook struct{ clock *Clock }

func (h hook) DialHook(next goredis.DialHook) goredis.DialHook {
	return Dialer{Clock: h.clock, Open: next}.DialContext
}

func (hook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

func (hook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

package redistest

import (
	"context"
	"net"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/redis"
)

// NewClient is a client as a program of its own has one: go-redis as it comes, over the connections that dial makes,
// with that version of RESP. It tries nothing twice.
func NewClient(protocol int, dial func(context.Context) (net.Conn, error)) redis.Client {
	return goredis.NewClient(&goredis.Options{Protocol: protocol, DisableIdentity: true, MaxRetries: -1, PoolSize: 2,
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }})
}

// DialTo dials that address.
func DialTo(network, address string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
}

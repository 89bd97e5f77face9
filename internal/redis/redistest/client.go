package redistest

import (
	"context"
	"net"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/redis"
)

// NewClient returns a go-redis client with default settings, as a user's program has one. It uses the connections of
// dial and the given version of RESP. It retries nothing.
func NewClient(protocol int, dial func(context.Context) (net.Conn, error)) redis.Client {
	return goredis.NewClient(&goredis.Options{Protocol: protocol, DisableIdentity: true, MaxRetries: -1, PoolSize: 2,
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }})
}

// DialTo returns a function that dials the address.
func DialTo(network, address string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
}

package lua_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// library is redis_rate v10 as it is used: Limiter.Allow.
func library(client redis.Cmdable, p limit.Policy) contender {
	limiter := redis_rate.NewLimiter(client)
	l := redis_rate.Limit{Rate: int(p.Requests), Period: p.Window, Burst: int(p.Capacity())}
	return contender{
		name: "redis_rate",
		prepare: func(ctx context.Context, key string, empty bool) error {
			// Its first call of all is answered NOSCRIPT, and repeated as an EVAL; this one stays outside the block.
			n := 0
			if empty {
				n = l.Burst
			}
			_, err := limiter.AllowN(ctx, key, l, n)
			return err
		},
		allow: func(ctx context.Context, key string) (bool, error) {
			r, err := limiter.Allow(ctx, key, l)
			return err == nil && r.Allowed > 0, err
		},
	}
}

// twoCallsSource is the least that a script can do which counts with INCR and reads a TTL, under the same arguments
// and with the same reply as the others. It is no limiter to deploy: a rejected request counts, nothing is checked,
// and times are whole seconds.
const twoCallsSource = `
local count = redis.call('INCR', KEYS[1])
local ttl = redis.call('TTL', KEYS[1])
if ttl < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
local left = ARGV[3] - count
if left < 0 then return {0, 0, ttl * 1000000, ttl * 1000000} end
return {1, left, 0, ttl * 1000000}
`

// twoCalls is twoCallsSource with the arguments of fixed-window.
func twoCalls(b *testing.B, client redis.Cmdable, p limit.Policy) contender {
	choice, err := algorithms.Parse("fixed-window")
	must(b, err)
	in, err := choice.Under(p)
	must(b, err)
	c := evalsha(b, client, "two-calls", twoCallsSource, in, p.Capacity())
	c.prepare = func(ctx context.Context, key string, empty bool) error {
		if !empty {
			return nil
		}
		return client.Set(ctx, key, p.Requests, p.Window).Err()
	}
	return c
}

// clock is the client's time as the scripts take it.
func clock() string { return strconv.FormatInt(time.Now().UnixMicro(), 10) }

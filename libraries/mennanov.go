//go:build !few

package main

import (
	"context"
	"errors"
	"time"

	"github.com/mennanov/limiters"
	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
)

// mennanov is one of the module's limiters. It holds only one key.
type mennanov interface {
	Limit(context.Context) (time.Duration, error)
}

// mennanovs returns the library whose limiters of makes.
func mennanovs(name, rule string, costs bool, of func(*process, *goredis.Client, string) mennanov) library {
	return library{name: name, module: "github.com/mennanov/limiters", rule: rule, costs: costs, burst: costs,
		open: func(p *process) (decide, error) {
			client, all := p.client(), map[string]mennanov{}
			return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
				if all[key] == nil {
					all[key] = of(p, client, key)
				}
				ask := all[key].Limit
				if bucket, is := all[key].(*limiters.TokenBucket); is {
					ask = func(ctx context.Context) (time.Duration, error) { return bucket.Take(ctx, cost) }
				}
				wait, err := ask(ctx)
				if errors.Is(err, limiters.ErrLimitExhausted) {
					return answer(false, 0, wait), nil
				}
				return answer(true, 0, 0), err
			}, nil
		}}
}

// bucket returns a token bucket whose key lives for a number of token intervals.
func bucket(p *process, c *goredis.Client, key string, tokens int64) *limiters.TokenBucket {
	token := p.Window / time.Duration(p.Requests)
	return limiters.NewTokenBucket(p.Capacity(), token, limiters.NewLockNoop(), limiters.NewTokenBucketRedis(c, key,
		token*time.Duration(tokens), false), limiters.NewSystemClock(), limiters.NewStdLogger())
}

var _ = add(mennanovs("mennanov-token", "token bucket; its TTL is the caller's, here the time to fill it", true,
	func(p *process, c *goredis.Client, key string) mennanov { return bucket(p, c, key, p.Capacity()) }))

var _ = add(mennanovs("mennanov-token-readme", "the same, with a token's interval as TTL, as in its README", true,
	func(p *process, c *goredis.Client, key string) mennanov { return bucket(p, c, key, 1) }))

var _ = add(mennanovs("mennanov-fixed", "fixed window, aligned to the clock", false,
	func(p *process, c *goredis.Client, key string) mennanov {
		return limiters.NewFixedWindow(p.Requests, p.Window, limiters.NewFixedWindowRedis(c, key),
			limiters.NewSystemClock())
	}))

var _ = add(mennanovs("mennanov-sliding", "sliding counter of two aligned windows", false,
	func(p *process, c *goredis.Client, key string) mennanov {
		return limiters.NewSlidingWindow(p.Requests, p.Window, limiters.NewSlidingWindowRedis(c, key),
			limiters.NewSystemClock(), 1e-9)
	}))

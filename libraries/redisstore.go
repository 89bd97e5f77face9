//go:build !few

package main

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/sethvargo/go-redisstore"

	"ratelab/internal/limit"
)

var _ = add(library{name: "go-redisstore", module: "github.com/sethvargo/go-redisstore",
	rule: "fixed window, in steps from a key's first request",
	open: func(p *process) (decide, error) {
		store, err := redisstore.New(&redisstore.Config{Tokens: uint64(p.Requests), Interval: p.Window,
			Dial: func() (redis.Conn, error) {
				return redis.Dial("tcp", "127.0.0.1:1", redis.DialNetDial(p.dialer.Dial))
			}})
		p.atEnd(func() { store.Close(context.Background()) })
		return func(ctx context.Context, key string, _ int64) (limit.Decision, error) {
			_, remaining, next, ok, err := store.Take(ctx, key)
			return answer(ok, int64(remaining), time.Until(time.Unix(0, int64(next)))), err
		}, err
	}})

//go:build !few

package main

import (
	"context"
	"time"

	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/redis"

	"ratelab/internal/limit"
)

var _ = add(library{name: "ulule", module: "github.com/ulule/limiter/v3", costs: true,
	rule: "fixed window, begins with a key's first request",
	open: func(p *process) (decide, error) {
		store, err := redis.NewStore(p.client())
		limiter := limiter.New(store, limiter.Rate{Period: p.Window, Limit: p.Requests})
		return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
			got, err := limiter.Increment(ctx, key, cost)
			return answer(!got.Reached, got.Remaining, time.Until(time.Unix(got.Reset, 0))), err
		}, err
	}})

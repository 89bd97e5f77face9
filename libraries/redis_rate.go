package main

import (
	"context"

	"github.com/go-redis/redis_rate/v10"

	"ratelab/internal/limit"
)

var _ = add(library{name: "redis_rate", module: "github.com/go-redis/redis_rate/v10", costs: true, burst: true,
	rule: "GCRA",
	open: func(p *process) (decide, error) {
		limiter := redis_rate.NewLimiter(p.client())
		rate := redis_rate.Limit{Rate: int(p.Requests), Burst: int(p.Capacity()), Period: p.Window}
		return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
			got, err := limiter.AllowN(ctx, key, rate, int(cost))
			if err != nil {
				return limit.Decision{}, err
			}
			return answer(got.Allowed > 0, int64(got.Remaining), got.RetryAfter), nil
		}, nil
	}})

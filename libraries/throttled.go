package main

import (
	"context"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"

	"ratelab/internal/limit"
)

var _ = add(library{name: "throttled", module: "github.com/throttled/throttled/v2", costs: true, burst: true,
	rule: "GCRA",
	open: func(p *process) (decide, error) {
		store, err := goredisstore.NewCtx(p.client(), "throttled:")
		if err != nil {
			return nil, err
		}
		limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{
			MaxRate: throttled.PerDuration(int(p.Requests), p.Window), MaxBurst: int(p.Capacity()) - 1})
		return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
			limited, got, err := limiter.RateLimitCtx(ctx, key, int(cost))
			return answer(!limited, int64(got.Remaining), got.RetryAfter), err
		}, err
	}})

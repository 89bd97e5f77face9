//go:build !few

package main

import (
	"context"
	"time"

	"github.com/JGLTechnologies/gin-rate-limit"

	"ratelab/internal/limit"
)

var _ = add(library{name: "gin-rate-limit", module: "github.com/JGLTechnologies/gin-rate-limit",
	rule: "fixed window that each admitted request begins anew",
	open: func(p *process) (decide, error) {
		store := ratelimit.RedisStore(&ratelimit.RedisOptions{Rate: p.Window, Limit: uint(p.Requests),
			RedisClient: p.client()})
		return func(_ context.Context, key string, _ int64) (limit.Decision, error) {
			got := store.Limit(key, nil)
			return answer(!got.RateLimited, int64(got.RemainingHits), time.Until(got.ResetTime)), nil
		}, nil
	}})

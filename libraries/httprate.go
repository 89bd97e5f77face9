//go:build !few

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/go-chi/httprate"
	"github.com/go-chi/httprate-redis"

	"ratelab/internal/limit"
)

var _ = add(library{name: "httprate-redis", module: "github.com/go-chi/httprate-redis", costs: true,
	rule: "sliding counter of two aligned windows",
	open: func(p *process) (decide, error) {
		counter := httprateredis.NewCounter(&httprateredis.Config{Client: p.client()})
		var failed error
		limiter := httprate.NewRateLimiter(int(p.Requests), p.Window, httprate.WithLimitCounter(counter),
			httprate.WithErrorHandler(func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err }))
		return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
			limited := limiter.OnLimit(w, r.WithContext(httprate.WithIncrement(ctx, int(cost))), key)
			retry, _ := strconv.Atoi(w.Header().Get("Retry-After"))
			remaining, _ := strconv.ParseInt(w.Header().Get("X-RateLimit-Remaining"), 10, 64)
			return answer(!limited, remaining, time.Duration(retry)*time.Second), failed
		}, nil
	}})

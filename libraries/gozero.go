//go:build !few

package main

import (
	"context"
	"fmt"
	"time"

	gozero "github.com/zeromicro/go-zero/core/limit"
	"github.com/zeromicro/go-zero/core/logx"
	"github.com/zeromicro/go-zero/core/stores/redis"

	"ratelab/internal/limit"
)

func init() { logx.Disable() } // it logs the load of the process every minute

// ofGoZero returns a go-zero client. It opens its own connections, and go-zero has one client per address.
func ofGoZero(p *process) (*redis.Redis, error) {
	address, err := p.proxy()
	if err != nil {
		return nil, err
	}
	return redis.NewRedis(redis.RedisConf{Host: address, Type: redis.NodeType, NonBlock: true})
}

var _ = add(library{name: "go-zero-period", module: "github.com/zeromicro/go-zero", silent: true, fits: wholeSeconds,
	rule: "fixed window, begins with a key's first request",
	open: func(p *process) (decide, error) {
		client, err := ofGoZero(p)
		limiter := gozero.NewPeriodLimit(int(p.Window/time.Second), int(p.Requests), client, "")
		return func(ctx context.Context, key string, _ int64) (limit.Decision, error) {
			got, err := limiter.TakeCtx(ctx, key)
			return answer(got != gozero.OverQuota, 0, 0), err
		}, err
	}})

var _ = add(library{name: "go-zero-token", module: "github.com/zeromicro/go-zero", costs: true, burst: true,
	silent: true,
	rule:   "token bucket in whole seconds, with a limiter in the process for when Redis fails",
	fits: func(p limit.Policy) error {
		if p.Requests*int64(time.Second)%int64(p.Window) != 0 {
			return fmt.Errorf("its rate is a whole number per second, and the limit is %v", p)
		}
		return nil
	},
	open: func(p *process) (decide, error) {
		client, err := ofGoZero(p)
		all := map[string]*gozero.TokenLimiter{}
		return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
			if all[key] == nil {
				rate := p.Requests * int64(time.Second) / int64(p.Window)
				all[key] = gozero.NewTokenLimiter(int(rate), int(p.Capacity()), client, key)
			}
			return answer(all[key].AllowNCtx(ctx, time.Now(), int(cost)), 0, 0), nil
		}, err
	}})

//go:build !few

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand"
	"time"

	entry "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/envoyproxy/ratelimit/src/config"
	"github.com/envoyproxy/ratelimit/src/limiter"
	"github.com/envoyproxy/ratelimit/src/redis"
	"github.com/envoyproxy/ratelimit/src/settings"
	"github.com/envoyproxy/ratelimit/src/stats"
	gostats "github.com/lyft/gostats"
	"github.com/sirupsen/logrus"

	"ratelab/internal/limit"
)

func init() { logrus.SetOutput(io.Discard) }

// units are the windows that the library supports.
var units = map[time.Duration]pb.RateLimitResponse_RateLimit_Unit{time.Second: 1, time.Minute: 2, time.Hour: 3,
	24 * time.Hour: 4}

// whole is the process's time in whole seconds, as envoy-ratelimit reads it.
type whole int64

func (w *whole) UnixNow() int64 { return int64(*w) }

var _ = add(library{name: "envoy-ratelimit", module: "github.com/envoyproxy/ratelimit", costs: true,
	rule: "fixed window, aligned to the clock",
	fits: func(p limit.Policy) error {
		if units[p.Window] == 0 {
			return fmt.Errorf("its windows are a second, minute, hour or day, and the limit is %v", p)
		}
		return nil
	},
	// Its driver reads connections in its own goroutines, so the library runs outside of the bubble.
	open: func(p *process) (decide, error) {
		address, err := p.proxy()
		store, now := gostats.NewStore(gostats.NewNullSink(), false), new(whole)
		manager := stats.NewStatManager(store, settings.Settings{})
		rule := []*config.RateLimit{config.NewRateLimit(uint32(p.Requests), units[p.Window],
			manager.NewStats("all"), false, false, false, "", nil, false)}
		var cache limiter.RateLimitCache
		p.outside(func() {
			client := redis.NewClientImpl(store, false, "", "tcp", "single", address, 1, 0, 0, nil, false, nil,
				time.Minute, "", "")
			cache = redis.NewFixedRateLimitCacheImpl(client, nil, now, rand.New(rand.NewSource(1)), 300, nil, 0.8, "",
				manager, false)
		})
		return func(ctx context.Context, key string, cost int64) (d limit.Decision, _ error) {
			*now = whole(time.Now().Unix())
			p.outside(func() {
				a := cache.DoLimit(context.Background(), &pb.RateLimitRequest{HitsAddend: uint32(cost),
					Descriptors: []*entry.RateLimitDescriptor{{Entries: []*entry.RateLimitDescriptor_Entry{
						{Key: "client", Value: key}}}}}, rule)[0]
				d = answer(a.Code == pb.RateLimitResponse_OK, int64(a.LimitRemaining),
					a.DurationUntilReset.AsDuration())
			})
			return d, nil
		}, err
	}})

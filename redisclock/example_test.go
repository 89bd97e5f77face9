package virtualtime_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/go-redis/redis_rate/v10"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/virtualtime"
)

// An unmodified library decides an hour of traffic at once: its clock is an argument, and the server's own is not
// asked.
func ExampleHook() {
	ctx := context.Background()
	server, err := redis.Start(ctx, redis.KindEmbedded)
	if err != nil {
		panic(err)
	}
	defer server.Close()
	clock := new(virtualtime.Clock)
	clock.Set(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	hook := virtualtime.NewHook(clock, time.Now(), false)
	client := redistest.NewClient(2, func(ctx context.Context) (net.Conn, error) {
		conn, err := server.Open(ctx)
		if err != nil {
			return nil, err
		}
		return hook.Conn(conn), nil
	})
	defer client.Close()

	limiter := redis_rate.NewLimiter(client)
	for _, wait := range []time.Duration{0, 0, 0, 30 * time.Minute} {
		clock.Set(clock.Now() + wait.Microseconds())
		result, err := limiter.Allow(ctx, "client", redis_rate.PerHour(2))
		if err != nil {
			panic(err)
		}
		fmt.Println(result.Allowed, result.RetryAfter)
	}
	// Output:
	// 1 -1ns
	// 1 -1ns
	// 0 30m0s
	// 1 -1ns
}

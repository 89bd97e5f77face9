package virtualtime_test

import (
	"fmt"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
)

// loopsFor returns about how many turns of a loop the server's Lua makes in the time d.
func loopsFor(t *testing.T, s *redis.Server, d time.Duration) int64 {
	t.Helper()
	const loops = 1_000_000
	least := time.Hour
	for range 5 {
		pipe := s.Client.Pipeline()
		before := pipe.Time(t.Context())
		pipe.Eval(t.Context(), fmt.Sprintf("local n = 0 for i = 1, %d do n = n + i end return n", loops), nil)
		after := pipe.Time(t.Context())
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		least = min(least, after.Val().Sub(before.Val()))
	}
	return loops * int64(d) / int64(least)
}

// A slow script gets short batches, on a near and on a distant server: about 50 ms each, as soon as its speed is known.
func TestASlowScriptBlocksAFarServerNoLonger(t *testing.T) {
	host := redistest.Private(t)
	it := setup{given: true, source: fmt.Sprintf("local n = 0 for i = 1, %d do n = n + i end return 1",
		loopsFor(t, host, time.Millisecond/2))}
	for _, delay := range []time.Duration{0, 20 * time.Millisecond} {
		if delay == 0 && !longtest.All() {
			continue
		}
		far, err := redis.Start(t.Context(), redistest.Far(t, host, delay))
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		began := time.Now()
		it.elapsed = func() time.Duration { return time.Since(began) }
		r, err := newRunner(t, far, it, func(resp.Value) {})
		if err != nil {
			t.Fatal(err)
		}
		host.Client.ConfigResetStat(t.Context())
		requests := stream(longtest.Of(1600, 800), 1000, oneKey)
		if err := r.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
			t.Fatal(err)
		}
		stats := host.Client.InfoMap(t.Context(), "commandstats").Val()["Commandstats"]["cmdstat_evalsha"]
		var calls int64 // a fast script needs 8 calls for 1600 requests
		if _, err := fmt.Sscanf(stats, "calls=%d,", &calls); err != nil || calls < int64(len(requests)/300) ||
			calls > int64(len(requests))/4 {
			t.Errorf("%d decisions of half a millisecond took %d EVALSHA, with a delay of %v; want 1 for 80; %s",
				len(requests), calls, delay, stats)
		}
	}
}

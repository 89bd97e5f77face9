package virtualtime_test

import (
	"testing"
	"time"

	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// On a given server, each key has a real deadline. A key without its own deadline has one within a day after the start.
// In virtual time, this deadline is not visible.
func TestAGuestLeavesNoKeyForGood(t *testing.T) {
	s := redistest.Private(t)
	hook := virtualtime.NewHook(midnight, time.Now(), true)
	ctx := t.Context()
	do := func(args ...string) int64 {
		reply, err := hook.One(ctx, s, virtualtime.Command{AtUS: midnight, Args: args})
		if err != nil || reply.Kind == resp.Error {
			t.Fatalf("%v: %v, %v", args, reply, err)
		}
		return reply.Int
	}
	do("INCR", "n")
	do("SET", "s", "v", "EX", "3600")
	do("PERSIST", "s")
	do("SET", "e", "v", "EX", "3600")
	do("EVAL", "redis.call('RPUSH', KEYS[1], 1) return 1", "1", "l")
	for key, ttl := range map[string]time.Duration{"n": -1, "s": -1, "e": time.Hour, "l": -1} {
		want := ttl.Milliseconds()
		if ttl < 0 {
			want = -1
		}
		if got := do("PTTL", key); got != want {
			t.Errorf("%s has the virtual TTL %v, want %v", key, got, ttl)
		}
		real := s.Client.PTTL(ctx, key).Val()
		if latest := max(ttl, 0) + 24*time.Hour; real <= 23*time.Hour || real > latest {
			t.Errorf("%s has the real TTL %v, want one of at most %v", key, real, latest)
		}
	}
	if do("PERSIST", "n") != 0 {
		t.Error("PERSIST treats the real deadline as a virtual one")
	}
}

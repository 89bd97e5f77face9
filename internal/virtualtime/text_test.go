package virtualtime_test

import (
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
)

// Lua converts a number of 16 digits to text with 14 digits. So five requests within 100 µs have the same member, and
// count as one.
func TestMembersMadeOfNumbersCollideAlike(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		var requests []limit.Request
		for i := range int64(500) {
			requests = append(requests, at(20*i, "k"))
		}
		admitted := int64(0)
		r, err := newRunner(t, s, setup{foreign: true, source: `local time = redis.call('TIME')
			local now = time[1] * 1000000 + time[2]
			redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000000)
			if redis.call('ZCARD', KEYS[1]) >= 100 then return 0 end
			redis.call('ZADD', KEYS[1], now, 'req:' .. now)
			return 1`}, func(reply resp.Value) { admitted += reply.Int })
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
			t.Fatal(err)
		}
		if admitted != 494 {
			t.Errorf("%d of 500 requests admitted, want 494", admitted)
		}
	})
}

package virtualtime_test

import (
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
)

// skewed is a request whose clocks are off.
func skewed(atUS, serverUS, clientUS int64) limit.Request {
	return limit.Request{AtUS: atUS, Key: "k", Cost: 1, ServerSkewUS: serverUS, ClientSkewUS: clientUS}
}

// The server's clock is what TIME and every TTL go by, the client's what the arguments say; in an init script, too, and
// whether they are apart in all of a batch or not.
func TestTheClientsClockIsInTheArgumentsAndTheServersInTheScript(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		it := setup{
			source: "local t = redis.call('TIME') redis.call('SET', KEYS[1], '', 'PX', 5) " +
				"return {ARGV[1] - 1704067200000000, ARGV[2] - 1704067200000, (t[1] - 1704067200) * 1000000 + t[2], " +
				"redis.call('PEXPIRETIME', KEYS[1]) - 1704067200000, redis.call('GET', KEYS[1] .. ':init')}",
			init: "local t = redis.call('TIME') redis.call('SET', KEYS[1] .. ':init', (ARGV[1] - 1704067200000000) " +
				".. ' ' .. ((t[1] - 1704067200) * 1000000 + t[2])) return 1",
			args: []string{"{now_us}", "{now_ms}"},
		}
		for _, it.batch = range []int{1, 2, 100} {
			want(t, s, it, `[4000, 4, 2000, 7, "4000 2000"]
[3000, 3, 3000, 8, "4000 2000"]
[9000, 9, 9000, 14, "4000 2000"]
[1010000, 1010, 11000, 16, "4000 2000"]`,
				skewed(3000, -1000, 1000), skewed(3000, 0, 0), skewed(4000, 5000, 5000), skewed(10_000, 1000,
					1_000_000))
		}
	})
}

// A key that has expired before the clock steps back is gone, even if nobody has looked at it since; one that has not
// lives for longer.
func TestAKeyThatHasExpiredDoesNotComeBackWithTheClock(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		it := setup{source: "local there = redis.call('EXISTS', KEYS[1]) redis.call('SET', KEYS[1], '', 'PX', 10) " +
			"return there"}
		short, long, clock := at(0, "short"), at(8_000, "long"), at(15_000, "clock")
		for _, it.batch = range []int{1, 100} {
			want(t, s, it, "0\n0\n0\n0\n1",
				short, long, clock,
				limit.Request{AtUS: 16_000, ServerSkewUS: -16_000, Key: "short", Cost: 1},
				limit.Request{AtUS: 33_000, ServerSkewUS: -15_500, Key: "long", Cost: 1})
		}
	})
}

// So is one whose deadline has been moved to an earlier time since it was first seen.
func TestAShortenedLifeIsOverBeforeTheClockStepsBack(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for _, shorten := range []string{"redis.call('SET', KEYS[1], '', 'PX', ARGV[1])",
			"redis.call('SETNX', KEYS[1], '') redis.call('PEXPIRE', KEYS[1], ARGV[1])"} {
			it := setup{source: "local there = redis.call('EXISTS', KEYS[1]) " + shorten + " return there",
				args: []string{"{cost}"}}
			for _, it.batch = range []int{1, 100} {
				want(t, s, it, "0\n1\n0\n0",
					limit.Request{Key: "k", Cost: 100}, limit.Request{Key: "k", Cost: 5}, limit.Request{AtUS: 50_000,
						Key: "clock", Cost: 1},
					limit.Request{AtUS: 51_000, ServerSkewUS: -50_000, Key: "k", Cost: 1})
			}
		}
	})
}

// What is left at the end is left by the server's clock.
func TestLeftGoesByTheServersClock(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		r, err := newRunner(t, s, setup{source: "redis.call('SET', KEYS[1], '', 'PX', 10) return 1"},
			func(resp.Value) {})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Decide(t.Context(), []limit.Request{skewed(0, 0, 0), skewed(1000, -7000, 0)},
			make([]limit.Decision, 2)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct{ atUS, keys int64 }{{11_000, 1}, {11_999, 1}, {12_000, 0}} {
			if left, err := r.Left(t.Context(), step.atUS, false); err != nil || left.Keys != step.keys {
				t.Errorf("at %d us: %+v, %v; want %d keys", step.atUS, left, err, step.keys)
			}
		}
	})
}

// A clock further back than was said would put deadlines into the real past.
func TestAClockTooFarBackIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		_, err := replies(t, s, setup{source: "return 1"}, skewed(5, -3_600_000_000, 0), skewed(5, -3_600_000_006, 0))
		if err == nil || !strings.Contains(err.Error(),
			"request at 5µs: the server's clock is 1h0m0.000001s before the start; want at most 1h0m0s") {
			t.Errorf("%v", err)
		}
	})
}

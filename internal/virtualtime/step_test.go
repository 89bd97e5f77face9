package virtualtime_test

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
)

// skewed returns a request with wrong clocks.
func skewed(atUS, serverUS, clientUS int64) limit.Request {
	return limit.Request{AtUS: atUS, Key: "k", Cost: 1, ServerSkewUS: serverUS, ClientSkewUS: clientUS}
}

// TIME and TTLs follow the server's clock, and the arguments have the client's clock. This is also true for an init
// script, and if the clocks differ only for some requests of a batch.
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

// A key that has expired before the clock steps back is gone, even if no command has used it since. A key that has not
// expired lives longer.
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

// A key is also gone if its deadline was moved to an earlier time before the clock steps back.
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

// Left counts the keys that are alive by the server's clock.
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

// If the clock goes back further than Behind, deadlines would be in the real past, so the request is refused.
func TestAClockTooFarBackIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		_, err := replies(t, s, setup{source: "return 1"}, skewed(5, -3_600_000_000, 0), skewed(5, -3_600_000_006, 0))
		if err == nil || !strings.Contains(err.Error(),
			"request at 5µs: the server's clock is 1h0m0.000001s before the start; want at most 1h0m0s") {
			t.Errorf("%v", err)
		}
	})
}

// A user's script never gets the same TIME twice, as on a real server, unless the server's clock steps back. The
// client's clock does not change, and neither does the time of a script that does not call TIME.
func TestTimeMovesBetweenTwoCallsOfAUsersScript(t *testing.T) {
	const tells = "local t = redis.call('time') redis.call('SET', KEYS[1], '', 'PX', 5) " +
		"return {ARGV[1] - 1704067200000000, (t[1] - 1704067200) * 1000000 + t[2], redis.call('PTTL', KEYS[1])}"
	onBoth(t, func(t *testing.T, s *redis.Server) {
		it := setup{source: tells, args: []string{"{now_us}"}}
		burst := []limit.Request{at(7, "k"), at(7, "k"), at(7, "other"), at(8, "k"), at(10, "k"), at(11, "k"),
			{AtUS: 12, ServerSkewUS: -3, Key: "k", Cost: 1}, {AtUS: 12, ServerSkewUS: -3, Key: "k", Cost: 1}}
		for _, it.batch = range []int{1, 3, 100} {
			it.foreign = true
			want(t, s, it, "[7, 7, 5]\n[7, 8, 5]\n[7, 9, 5]\n[8, 10, 5]\n[10, 11, 5]\n[11, 12, 5]\n[12, 9, 5]\n"+
				"[12, 10, 5]", burst...)
			it.foreign = false
			want(t, s, it, "[7, 7, 5]\n[7, 7, 5]\n[7, 7, 5]\n[8, 8, 5]\n[10, 10, 5]\n[11, 11, 5]\n[12, 9, 5]\n"+
				"[12, 9, 5]", burst...)
		}
	})
}

// If the script calls TIME, 2000 requests of one instant take 2 ms of the server's clock. So a key with a TTL of 1 ms
// expires.
func TestKeysExpireByTheTimeThatMoves(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		const once = "if redis.call('SET', KEYS[1], '', 'NX', 'PX', 1) then return 1 end return 0"
		for source, want := range map[string]int64{once: 1, "redis.call('TIME') " + once: 2} {
			made := int64(0)
			r, err := newRunner(t, s, setup{source: source, foreign: true, batch: 64}, func(reply resp.Value) {
				made += reply.Int
			})
			if err != nil {
				t.Fatal(err)
			}
			all := slices.Repeat([]limit.Request{at(0, "k")}, 2001)
			if err := r.Decide(t.Context(), all, make([]limit.Decision, len(all))); err != nil {
				t.Fatal(err)
			}
			if made != want {
				t.Errorf("%s makes the key %d times, want %d", source, made, want)
			}
			if err := r.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

package algorithms

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// These tests call the scripts as a client would, without virtual time: the time is ARGV[1].

// eval calls the algorithm's script, and reads the reply.
func eval(t testing.TB, s *redis.Server, name, key string, args ...string) (limit.Decision, error) {
	t.Helper()
	var list []any
	for _, a := range args {
		list = append(list, a)
	}
	reply, err := goredis.NewScript(registered[name].Script()).Run(t.Context(), s.Client, []string{key},
		list...).Int64Slice()
	if err != nil {
		return limit.Decision{}, err
	}
	if len(reply) < 4 {
		t.Fatalf("%s answered %v", name, reply)
	}
	d := limit.Decision{Verdict: limit.Verdict(reply[0]), Remaining: reply[1], RetryAfterUS: reply[2],
		ResetAfterUS: reply[3]}
	if len(reply) == 5 {
		d.DelayUS = reply[4]
	}
	return d, nil
}

// keysUnder gives each key that begins with prefix its PTTL.
func keysUnder(t testing.TB, s *redis.Server, prefix string) map[string]int64 {
	t.Helper()
	keys, err := s.Client.Keys(t.Context(), prefix+"*").Result()
	if err != nil {
		t.Fatal(err)
	}
	lives := map[string]int64{}
	for _, key := range keys {
		lives[key] = s.Client.Do(t.Context(), "PTTL", key).Val().(int64)
	}
	return lives
}

// Whatever is wrong with an argument, the script says so under its own name, and has written nothing.
func TestScriptsRefuseBadArgumentsBeforeTheyWrite(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, name := range limiting() {
			in := instanceOf(t, name, policy(t, "5/1s"))
			good := append([]string{strconv.FormatInt(algotest.StartUS, 10), "1"}, in.Args...)
			if in.Init != nil {
				good = append(append([]string{}, good[:2]...), in.Init...)
			}
			for position := range good {
				for _, bad := range badArguments(name, position, in.Init != nil) {
					args := append([]string{}, good...)
					args[position] = bad
					_, err := eval(t, s, name, "bad", args...)
					if err == nil || !strings.HasPrefix(err.Error(), "ERR "+name+": ") {
						t.Errorf("%s with ARGV[%d] = %q: %v; want an error that names the script", name, position+1,
							bad, err)
					}
				}
			}
			required := len(good)
			if in.Init != nil {
				required-- // init without applications is for everyone
			}
			for n := range required {
				if _, err := eval(t, s, name, "bad", good[:n]...); err == nil {
					t.Errorf("%s takes %d arguments for %d", name, n, required)
				}
			}
			if left := keysUnder(t, s, "bad"); len(left) > 0 {
				t.Errorf("%s was refused, and left %v", name, left)
			}
		}
	})
}

// badArguments are what the script must refuse at a position of ARGV.
func badArguments(name string, position int, managed bool) []string {
	bad := []string{"x", "-1", "1.5", "nan", "inf", "-inf", "1e300", "0", ""}
	switch {
	case position == 0 && registered[name].Traits.TTLRule:
		return nil // not read
	case position == 0:
		return bad[:7] // 0 is a time, and an empty one the server's
	case managed && (position == 1 || position == 6):
		return nil // init has no cost; an application is any name
	case registered[name].Traits.Lends && position == 5:
		return append(bad[:7:7], "", "5")
	}
	return bad
}

// Every key has a TTL, and it is as long as the state matters: until the full burst is back, and, because the client
// passes the time, a second more. The embedded server's clock stands still, so that this is exact.
func TestEveryKeyLivesAsLongAsItMatters(t *testing.T) {
	s := redistest.Embedded(t)
	p := policy(t, "5/1s")
	for _, name := range limiting() {
		in := instanceOf(t, name, p)
		for i, offset := range []int64{0, 0, 123_456, 123_457, 990_000, 1_000_000, 1_200_300} {
			key := fmt.Sprintf("ttl:%s:%d", name, i)
			now := strconv.FormatInt(algotest.StartUS+offset, 10)
			if in.Init != nil {
				if _, err := eval(t, s, name, key, append([]string{now, "1"}, in.Init...)...); err != nil {
					t.Fatal(err)
				}
			}
			d, err := eval(t, s, name, key, append([]string{now, "2"}, in.Args...)...)
			if err != nil {
				t.Fatal(err)
			}
			for left, life := range keysUnder(t, s, key) {
				if in.Init != nil {
					if life != -1 {
						t.Errorf("%s: the configuration has a TTL of %d ms", name, life)
					}
				} else if want := lifeMS(name, d, p); life != want {
					t.Errorf("%s: %s lives %d ms after %+v; want %d", name, left, life, d, want)
				}
			}
		}
	}
}

// lifeMS is the TTL that the key of an admitted first request must have.
func lifeMS(name string, d limit.Decision, p limit.Policy) int64 {
	if life := registered[name].Traits.LifeMS; life != nil {
		return life(d.ResetAfterUS, p.WindowUS())
	}
	return ceilDiv(d.ResetAfterUS, 1000) + 1000
}

// A counter without a TTL, left by a writer that died between INCR and EXPIRE, blocks its client for one window and
// not for ever.
func TestFixedWindowHealsACounterWithoutATTL(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		if err := s.Client.Set(t.Context(), "stuck", "7", 0).Err(); err != nil {
			t.Fatal(err)
		}
		d, err := eval(t, s, "fixed-window", "stuck", "", "1", "5", "60000")
		want := limit.Decision{RetryAfterUS: 60_001_000, ResetAfterUS: 60_001_000}
		if err != nil || d != want {
			t.Fatalf("%+v, %v; want %+v", d, err, want)
		}
		if life := keysUnder(t, s, "stuck")["stuck"]; life <= 0 || life > 60_000 {
			t.Fatalf("it lives %d ms", life)
		}
	})
}

// The log's running count is modulo 2^31, and goes on correctly where it starts again.
func TestTheLogsRunningCountMayWrap(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		at := algotest.StartUS
		if err := s.Client.RPush(t.Context(), "wrap", 1<<31-4, at-500_000, 1<<31-2, at-1, 1<<31-1).Err(); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			cost int64
			want limit.Decision
		}{
			{3, limit.Decision{Remaining: 2, RetryAfterUS: 500_000, ResetAfterUS: 999_999}},
			{2, limit.Decision{Verdict: limit.Allowed, ResetAfterUS: 1_000_000}},
			{3, limit.Decision{RetryAfterUS: 999_999, ResetAfterUS: 1_000_000}},
		} {
			d, err := eval(t, s, "sliding-window-log", "wrap", strconv.FormatInt(at, 10),
				strconv.FormatInt(step.cost, 10), "5", "1000000")
			if err != nil || d != step.want {
				t.Fatalf("cost %d: %+v, %v; want %+v", step.cost, d, err, step.want)
			}
		}
		if last := s.Client.LIndex(t.Context(), "wrap", -1).Val(); last != "1" {
			t.Fatalf("the running count is %s; want 1", last)
		}
	})
}

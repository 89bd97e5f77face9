package algorithms

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"testing"
	"time"

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

// A call that lacks an argument, or has one that is no number, fails before the script has written anything.
func TestScriptsFailBeforeTheyWrite(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, name := range limiting() {
			in := instanceOf(t, name, policy(t, "5/1s"))
			good := append([]string{strconv.FormatInt(algotest.StartUS, 10), "1"}, in.Args...)
			required := len(good)
			if in.Init != nil {
				good = append(good[:2:2], in.Init...)
				required = len(good) - 1 // init without applications is for everyone
			}
			calls := [][]string{}
			for position := range good[:required] {
				calls = append(calls, good[:position])
				unread := registered[name].Traits.TTLRule && position == 0 ||
					in.Init != nil && (position == 1 || position == 2)
				if !unread {
					bad := append([]string{}, good...)
					bad[position] = "x"
					calls = append(calls, bad)
				}
			}
			for _, args := range calls {
				if d, err := eval(t, s, name, "bad", args...); err == nil {
					t.Errorf("%s takes %q, and answers %+v", name, args, d)
				}
			}
			if left := keysUnder(t, s, "bad"); len(left) > 0 {
				t.Errorf("%s failed, and left %v", name, left)
			}
		}
	})
}

// Every key has a TTL, for as long as the model keeps its state. It reaches until the full burst is back, and is at
// most two windows. Because the client passes the time, it is a second more. The embedded server's clock stands still,
// so that this is exact.
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
				least, most := d.ResetAfterUS/1000-1, max(d.ResetAfterUS, 2*p.WindowUS())/1000+1001
				want := int64(-1) // a configuration stays
				if in.Init == nil {
					want = lifeMS(t, name, p, algotest.StartUS+offset)
				}
				if life != want || in.Init == nil && (life < least || life > most) {
					t.Errorf("%s: %s lives %d ms after %+v; in the model %d; want %d to %d", name, left, life, d, want,
						least, most)
				}
			}
		}
	}
}

// lifeMS is how long a model keeps the key of an admitted first request at nowUS, by the server's clock, where the
// client's clock stands still.
func lifeMS(t *testing.T, name string, p limit.Policy, nowUS int64) int64 {
	if clock := registered[name].InRole(Clock); clock != nil {
		name += ":" + clock.Name + "=" + clock.Words[1] // the client's
	}
	l := modelOf(t, name, p)
	l.Decide(nowUS, nowUS, "k", 2)
	gone := sort.Search(1_000_000, func(ms int) bool {
		at := nowUS + 1000*int64(ms)
		return l.Fork("k").Decide(at, nowUS, "k", p.Requests) == l.Fork("new").Decide(at, nowUS, "new", p.Requests)
	})
	return int64(gone) - 1
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

// A log keeps its clock: before 2006 and after 2041, where a Lua number rounds 1/16 µs, gcra's script still decides as
// its model does.
func TestGCRADecidesAsItsModelInAnyYear(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, year := range []int{1990, 1995, 2006, 2041, 2099} {
			in := instanceOf(t, "gcra:time=client", policy(t, "7/1h"))
			l, random, key := in.NewModel(), rand.New(rand.NewPCG(1, 2)), fmt.Sprint("year-", year)
			at := time.Date(year, 1, 2, 3, 4, 5, 6000, time.UTC).UnixMicro()
			for step := range 200 {
				at += random.Int64N(1_000_000_000)
				want := l.Decide(algotest.StartUS, at, key, 1)
				got, err := eval(t, s, "gcra", key, append([]string{strconv.FormatInt(at, 10), "1"}, in.Args...)...)
				if err != nil || got != want {
					t.Fatalf("%d, step %d: the script %+v, %v; the model %+v", year, step, got, err, want)
				}
			}
		}
	})
}

package lua_test

import (
	"fmt"
	"strconv"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	_ "ratelab/internal/host"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/lua"
)

// By the server's time some admissions leave a key's expiry as it is. It is never earlier than the end of the second
// in which the state stops to matter, and at most a second later than that.
func TestAnExpiryThatIsKeptIsLateEnough(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		if s.Kind == redis.KindEmbedded {
			t.Skip("its clock stands still")
		}
		for i, c := range []struct {
			name   string
			decide []any
		}{
			{"gcra", []any{"", 1, 100000, 90000, 1}},
			{"gcra", []any{"", 3, 100000, 210001, 7}},
			{"leaky-bucket", []any{"", 1, 100000, 90000, 1}},
			{"leaky-bucket", []any{"", 1, 100000, 630001, 7}},
		} {
			key := fmt.Sprintf("%s%s-%d", s.Prefix, c.name, i)
			call := func(args []any) {
				t.Helper()
				source, err := lua.Source(c.name)
				if err != nil {
					t.Fatal(err)
				}
				reply, err := goredis.NewScript(source).Run(t.Context(), s.Client, []string{key}, args...).Int64Slice()
				if err != nil || reply[0] != 1 {
					t.Fatalf("%s answers %v, %v", c.name, reply, err)
				}
			}
			for step := range 60 { // 5.4 s of the state's own time
				call(c.decide)
				ends := digits(s.Client.Get(t.Context(), key).Val()) // when the state stops to matter
				life := s.Client.PExpireTime(t.Context(), key).Val().Milliseconds()
				if second := ends/1_000_000 + 1; life < second*1000 || life > second*1000+1000 {
					t.Fatalf("%s, step %d: the state matters until %d us, and lives until %d ms", c.name, step, ends,
						life)
				}
			}
		}
	})
}

// A limit that changes finds the state of the one before it, whose remainder is written otherwise, and goes on from
// there: by either clock, and with a key that lives as long as it must.
func TestAStateOutlivesAChangeOfTheLimit(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, name := range []string{"gcra", "leaky-bucket"} {
			source, err := lua.Source(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, now := range []string{"", "1700000000000000"} {
				key, before := s.Prefix+name+now, int64(0)
				for step, limit := range [][]any{{90000, 1}, {90000, 1}, {630001, 7}, {630001, 7}, {90000, 1},
					{90000, 1}} {
					args := append([]any{now, 1, 1000}, limit...)
					reply, err := goredis.NewScript(source).Run(t.Context(), s.Client, []string{key},
						args...).Int64Slice()
					if err != nil || reply[0] != 1 {
						t.Fatalf("%s, step %d: %v, %v", name, step, reply, err)
					}
					after := digits(s.Client.Get(t.Context(), key).Val())
					// 8: the sevenths of a µs
					if moved := after - before; step > 0 && (moved < 90_000 || moved > 90_008) {
						t.Fatalf("%s, step %d: the state moves on by %d us; want 90000", name, step, moved)
					}
					before = after
				}
			}
		}
	})
}

// init and delete take a cost, and use none: whatever stands there, they do their work.
func TestAManagedBucketIsConfiguredAtNoCost(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		source, err := lua.Source("token-bucket")
		if err != nil {
			t.Fatal(err)
		}
		for _, cost := range []string{"", "x", "0"} {
			for _, args := range [][]any{{"", cost, "init", 5, 1000, 1, "app"}, {"", cost, "delete"}} {
				reply, err := goredis.NewScript(source).Run(t.Context(), s.Client, []string{s.Prefix + "k"},
					args...).Int64Slice()
				if err != nil || reply[0] != 1 {
					t.Errorf("%q: %v, %v", args, reply, err)
				}
			}
		}
	})
}

// digits reads the number of up to 16 digits with which a state begins.
func digits(state string) int64 {
	n, err := strconv.ParseInt(state[:min(16, len(state))], 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

package lua_test

import (
	"testing"

	goredis "github.com/redis/go-redis/v9"

	_ "ratelab/internal/engine"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/lua"
)

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

package virtualtime

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A batch grows and shrinks with the server's time for it, not with the way there; where the server's clock tells
// nothing, with the time that the round took.
func TestBatchesGoByTheServersOwnTime(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name            string
		kept, took      time.Duration // by the server's clock, of two EVALs together; by ours, there and back
		request         bool
		before, onwards int
	}{
		{"a quick script, near", ms, ms, true, 64, 128},
		{"a quick script, far away", ms, 1001 * ms, true, 64, 128},
		{"a slow script, near", 150 * ms, 151 * ms, true, 64, 42},
		{"a slow script, far away", 150 * ms, 1150 * ms, true, 64, 42},
		{"far too slow a script", 20_000 * ms, 20_000 * ms, true, 64, 1},
		{"as long as may be", 80 * ms, 1080 * ms, true, 64, 64},
		{"a clock that stands still", 0, 150 * ms, true, 64, 42},
		{"a clock that was set back", -time.Hour, 150 * ms, true, 64, 42},
		{"a clock that was set forward", time.Hour, ms, true, 64, 128},
		{"nobody asked", 0, 150 * ms, false, 64, 42},
	} {
		r := &Runner{options: Options{Elapsed: func() time.Duration { return 0 }}, size: c.before}
		last := &round{evals: []eval{{size: c.before}, {size: c.before}}, took: c.took}
		if c.request {
			last.began, last.ended = redis.NewTimeCmd(t.Context()), redis.NewTimeCmd(t.Context())
			last.began.SetVal(time.UnixMicro(1_700_000_000_000_000))
			last.ended.SetVal(last.began.Val().Add(c.kept))
		}
		if r.resize(last); r.size != c.onwards {
			t.Errorf("%s: %d arrivals after %d, want %d", c.name, r.size, c.before, c.onwards)
		}
	}
}

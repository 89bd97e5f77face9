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
		shared          bool
		kept, took      time.Duration // by the server's clock, of two EVALs together; by ours, there and back
		request         bool
		before, onwards int
	}{
		{"a quick script, near", true, ms, ms, true, 64, 128},
		{"a quick script, far away", true, ms, 1001 * ms, true, 64, 128},
		{"a slow script, near", true, 30 * ms, 31 * ms, true, 64, 32},
		{"a slow script, far away", true, 30 * ms, 1030 * ms, true, 64, 32},
		{"as long as may be", true, 16 * ms, 1016 * ms, true, 64, 64},
		{"a server of our own may be kept for longer", false, 30 * ms, 30 * ms, true, 64, 128},
		{"a clock that stands still", true, 0, 30 * ms, true, 64, 32},
		{"a clock that was set back", true, -time.Hour, 30 * ms, true, 64, 32},
		{"a clock that was set forward", true, time.Hour, ms, true, 64, 128},
		{"nobody asked", true, 0, 30 * ms, false, 64, 32},
	} {
		r := &Runner{server: Server{Shared: c.shared}, options: Options{Elapsed: func() time.Duration { return 0 }},
			size: c.before}
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

package virtualtime

import (
	"testing"
	"time"
)

// The size of a batch depends on the server's time for the last batch, and not on the network. If the server's clock
// cannot be used, it depends on the time of the round.
func TestBatchesGoByTheServersOwnTime(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name            string
		kept, took      time.Duration // of two EVALs, on the server's clock; of the round, on our clock
		before, onwards int
	}{
		{"a quick script, near", ms, ms, 64, 128},
		{"a quick script, far away", ms, 1001 * ms, 64, 128},
		{"a slow script, near", 150 * ms, 151 * ms, 64, 42},
		{"a slow script, far away", 150 * ms, 1150 * ms, 64, 42},
		{"a script that is far too slow", 20_000 * ms, 20_000 * ms, 64, 1},
		{"as long as allowed", 80 * ms, 1080 * ms, 64, 64},
		{"a clock that stands still", 0, 150 * ms, 64, 42},
		{"a clock that was set back", -time.Hour, 150 * ms, 64, 42},
		{"a clock that was set forward", time.Hour, ms, 64, 128},
	} {
		r := &Runner{options: Options{Elapsed: func() time.Duration { return 0 }}, size: c.before}
		last := &round{sizes: []int{c.before, c.before}, took: c.took, worked: c.kept}
		if r.resize(last); r.size != c.onwards {
			t.Errorf("%s: %d arrivals after %d, want %d", c.name, r.size, c.before, c.onwards)
		}
	}
}

// clockOf reads the server's clock in whole microseconds. It returns 0 for any other reply.
func TestTheServersClockIsRead(t *testing.T) {
	for reply, want := range map[string]time.Duration{
		"*2\r\n$2\r\n17\r\n$1\r\n5\r\n": 17*time.Second + 5*time.Microsecond,
		"-NOPERM no\r\n":                0,
		"*2\r\n$2\r\n17\r\n$1\r\nx\r\n": 0,
	} {
		if got := clockOf([]byte(reply)); got != want {
			t.Errorf("%q: %v, want %v", reply, got, want)
		}
	}
}

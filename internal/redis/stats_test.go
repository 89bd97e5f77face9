package redis

import (
	"fmt"
	"testing"
)

// counted is what the server counts while something happens.
func counted(t *testing.T, s *Server, happens func()) Stats {
	t.Helper()
	before, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	happens()
	after, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return after.Since(before)
}

// One that fails is a call too, and the time of a script includes that of its commands.
func TestScriptsAreCounted(t *testing.T) {
	s := private(t)
	sha := do(t, s, "SCRIPT", "LOAD", "return redis.call('INCR', KEYS[1])")
	d := counted(t, s, func() {
		for range 3 {
			do(t, s, "EVALSHA", sha, "1", "k")
		}
		do(t, s, "EVAL_RO", "return 1", "0")
		s.Client.EvalSha(t.Context(), "0000000000000000000000000000000000000000", nil)
		do(t, s, "EVAL", "for i = 1, 20000 do redis.call('RPUSH', KEYS[1], i) end "+
			"redis.call('LRANGE', KEYS[1], 0, -1) return 1", "1", "big")
	})
	var calls, inner int64
	if _, err := fmt.Sscanf(infoFields(do(t, s, "INFO", "commandstats"))["cmdstat_lrange"], "calls=%d,usec=%d,", &calls,
		&inner); err != nil {
		t.Fatal(err)
	}
	if !d.Known || d.EvalCalls != 6 || inner == 0 || d.EvalUsec < inner {
		t.Errorf("%+v, LRANGE took %d µs; want 6 calls, and no less", d, inner)
	}
}

func TestLostCountsAreNoFigures(t *testing.T) {
	s := private(t)
	do(t, s, "EVAL", "return 1", "0")
	if d := counted(t, s, func() { do(t, s, "CONFIG", "RESETSTAT") }); d.Known {
		t.Errorf("after CONFIG RESETSTAT: %+v", d)
	}
	fresh, err := private(t).Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now.received += fresh.received
	if d := now.Since(fresh); d.Known {
		t.Errorf("between two runs of a server: %+v", d)
	}
}

func TestTheEmbeddedServerKeepsNoStatistics(t *testing.T) {
	s, err := Start(t.Context(), KindEmbedded)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if d := counted(t, s, func() {}); d.Known {
		t.Errorf("%+v", d)
	}
}

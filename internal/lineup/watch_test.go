package lineup

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/virtualtime"
)

// wantLost is a LostError with all of that in it.
func wantLost(t *testing.T, err error, parts ...string) {
	t.Helper()
	var lost *LostError
	if !errors.As(err, &lost) {
		t.Fatalf("%v; want a LostError", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

func TestNothingHappensToAServerLeftAlone(t *testing.T) {
	redisservertest.Each(t, func(t *testing.T, s *redisserver.Server) {
		w := NewWatch(t.Context(), s)
		s.Client.Set(t.Context(), s.Prefix+"k", 1, time.Millisecond)
		s.Client.Del(t.Context(), s.Prefix+"k")
		if err := w.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Another server behind the same address has another run_id.
func TestARestartIsNoticed(t *testing.T) {
	s, other := redisservertest.Private(t), redisservertest.Private(t)
	w := NewWatch(t.Context(), s)
	s.Client = other.Client
	wantLost(t, w.Check(t.Context()), "it was restarted in the middle, or another server took its place", "repeat it")
	wantLost(t, w.Explain(t.Context(), virtualtime.ErrLost), "lost its scripts", "it was restarted")
	wantLost(t, w.Explain(t.Context(), &virtualtime.LostError{}), "keys of the run vanished", "it was restarted")
}

func TestEvictionIsNoticed(t *testing.T) {
	s := redisservertest.Private(t)
	s.Client.ConfigSet(t.Context(), "maxmemory-policy", "volatile-ttl")
	s.Client.Set(t.Context(), s.Prefix+"k", 1, time.Hour)
	w := NewWatch(t.Context(), s)
	s.Client.ConfigSet(t.Context(), "maxmemory", "1")
	s.Client.Set(t.Context(), s.Prefix+"l", 1, 0) // refused, after all that could go has gone
	parts := []string{"it evicted 1 keys in the middle, because its memory was full (maxmemory 1 bytes, policy " +
		"volatile-ttl)", "noeviction"}
	wantLost(t, w.Check(t.Context()), parts...)
	lost := fmt.Errorf("row: %w", &virtualtime.LostError{Key: "k", Keys: 1})
	wantLost(t, w.Explain(t.Context(), lost), append(parts, `the run's key "k" vanished`)...)
}

// Where the server knows of nothing, it was somebody, or this process stood still.
func TestLostKeysHaveACause(t *testing.T) {
	w := NewWatch(t.Context(), redisservertest.Embedded(t))
	wantLost(t, w.Explain(t.Context(), &virtualtime.LostError{Key: "k", Keys: 3}), "3 keys", "FLUSHALL, FLUSHDB or DEL",
		"no figure of the run holds")
	wantLost(t, w.Explain(t.Context(), &virtualtime.LostError{Stood: 25 * time.Minute}),
		"expired while this process stood still for 25m; they live 10m without it")
	call := &virtualtime.CallError{Text: "ERR"}
	if err := w.Explain(t.Context(), call); err != error(call) {
		t.Errorf("a script's error became %v", err)
	}
}

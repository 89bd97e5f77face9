package load

import (
	"context"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// workers is a program on a private server, with connections.
func workers(ctx context.Context, t testing.TB, p *script.Program, connections int, clock Stopwatch) (
	*redis.Server, *Target, []Caller) {
	t.Helper()
	s := redistest.Private(t)
	target, err := Prepare(t.Context(), of(s), p.InKeyspace(s.Prefix), clock)
	if err != nil {
		t.Fatal(err)
	}
	return s, target, callersOf(ctx, t, target, connections)
}

// callersOf are n connections, each for one worker.
func callersOf(ctx context.Context, t testing.TB, target *Target, n int) []Caller {
	t.Helper()
	callers := make([]Caller, n)
	for i := range callers {
		c, err := target.Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		callers[i] = c
	}
	return callers
}

// A loop decides what a client would be told, and sends as many calls as it says.
func TestALoopOnAServer(t *testing.T) {
	clock := NewClock(time.Now())
	s, _, callers := workers(t.Context(), t, scripttest.Program(scripttest.Counting, "3"), 4, clock)
	requests := append([]limit.Request{{AtUS: -1000}}, every(500*time.Microsecond, 200, "k")...)
	open, err := opened(t.Context(), requests, callers, Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if open.Offered != 200 || open.Sent != 200 || open.Admitted != 3 || open.Rejected != 197 {
		t.Errorf("open loop: %+v", open)
	}
	if got := s.Client.Get(t.Context(), s.Prefix+"mine:{k}").Val(); got != "200" {
		t.Errorf("the server counted %s calls; want 200", got)
	}
}

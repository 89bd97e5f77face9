package load

import (
	"context"
	"strconv"
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

// Both loops decide what a client would be told, send as many calls as they say.
func TestBothLoopsOnAServer(t *testing.T) {
	clock := NewClock(time.Now())
	s, _, callers := workers(t.Context(), t, scripttest.Program(scripttest.Counting, "3"), 4, clock)
	requests := append([]limit.Request{{AtUS: -1000}}, every(500*time.Microsecond, 200, "k")...)
	open, err := opened(t.Context(), requests, callers, Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if open.Offered != 200 || open.Sent != 200 || open.Accepted != 3 || open.Rejected != 197 {
		t.Errorf("open loop: %+v", open)
	}
	var closed ClosedResult
	if err := Closed(t.Context(), clock, callers, 50*time.Millisecond, nil, &closed); err != nil {
		t.Fatal(err)
	}
	if closed.Sent == 0 || closed.Accepted != 3 {
		t.Errorf("closed loop: %+v", closed)
	}
	for key, calls := range map[string]int64{"k": 200, "": closed.Sent} {
		if got := s.Client.Get(t.Context(), s.Prefix+"mine:{"+key+"}").Val(); got != strconv.FormatInt(calls, 10) {
			t.Errorf("the server counted %s calls; want %d", got, calls)
		}
	}
}

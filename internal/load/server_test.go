package load_test

import (
	"iter"
	"strconv"
	"testing"
	"time"

	"ratelab/internal/caller"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// prepared is a program on a private server, with connections.
func prepared(t testing.TB, p *script.Program, connections int, clock load.Stopwatch) (*redisserver.Server,
	*caller.Target, []load.Caller) {
	t.Helper()
	s := redisservertest.Private(t)
	target, err := caller.Prepare(t.Context(), caller.Server{Client: s.Client, Open: s.Open}, p.InKeyspace(s.Prefix),
		caller.Options{Origin: clock.Origin, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return s, target, connected(t, target, connections)
}

// connected are connections, each for one worker.
func connected(t testing.TB, target *caller.Target, n int) []load.Caller {
	t.Helper()
	callers := make([]load.Caller, n)
	for i := range callers {
		c, err := target.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		callers[i] = c
	}
	return callers
}

// every gives n requests for key, one every gap.
func every(gap time.Duration, n int, key string) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for i := range n {
			if !yield(limit.Request{AtUS: int64(i) * gap.Microseconds(), Key: key, Cost: 1}, nil) {
				return
			}
		}
	}
}

// after is a stream that begins so much later; of a negative d, earlier.
func after(d time.Duration, stream iter.Seq2[limit.Request, error]) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range stream {
			q.AtUS += d.Microseconds()
			if !yield(q, err) {
				return
			}
		}
	}
}

// Both loops decide what a client would be told, send as many calls as they say, and leave nothing behind.
func TestBothLoopsOnAServer(t *testing.T) {
	clock := load.NewClock(time.Now())
	s, target, callers := prepared(t, scripttest.Program(scripttest.Counting, "3"), 4, clock)
	stream := after(-time.Millisecond, every(500*time.Microsecond, 200, "k"))
	open, err := load.Open(t.Context(), stream, callers,
		load.OpenOptions{Clock: clock, At: clock.Now() + 20*time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	// Of the three that are admitted, as many are counted as were decided after the warm-up's two: on a busy machine
	// these can be overtaken.
	if open.Offered != 198 || open.Sent != 198 || open.WarmUp != 2 || open.Accepted < 1 || open.Accepted > 3 ||
		open.Accepted+open.Rejected != 198 ||
		open.PoolWaits > open.Sent {
		t.Errorf("open loop: %+v", open)
	}
	closed, err := load.Closed(t.Context(), every(0, 1, "k"), callers,
		load.ClosedOptions{Clock: clock, Duration: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if closed.Sent == 0 || closed.Accepted != 0 {
		t.Errorf("closed loop: %+v", closed)
	}
	calls := open.Sent + open.WarmUp + closed.Sent + closed.WarmUp
	if got := s.Client.Get(t.Context(), s.Prefix+"mine:{k}").Val(); got != strconv.FormatInt(calls, 10) {
		t.Errorf("the server counted %s calls; want %d", got, calls)
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys left", n)
	}
}

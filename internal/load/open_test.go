package load_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
)

// One connection, 10 ms of service, a pacer that is 300 µs late. The second request is due while the first is served:
//
//	due 0   handed 0.3  written 0.3   replied 10.3
//	due 4   handed 4.3  written 10.3  replied 20.3
//	due 30  handed 30.3 written 30.3  replied 40.3   rejected
func TestTheFourDurations(t *testing.T) {
	bubble(t, 300*time.Microsecond, func(t *testing.T, clock load.Stopwatch) {
		_, callers := slows(clock, 1, 10*time.Millisecond)
		r, err := load.Open(t.Context(), due(0, 4, -30), callers, load.OpenOptions{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		a, j := r.OfAccepted, r.OfRejected
		has(t, "accepted: lag", a.Lag, 300, 300)
		has(t, "accepted: wait", a.Wait, 0, 6000)
		has(t, "accepted: service", a.Service, 10000, 10000)
		has(t, "accepted: response", a.Response, 10300, 16300)
		has(t, "rejected: lag", j.Lag, 300)
		has(t, "rejected: wait", j.Wait, 0)
		has(t, "rejected: service", j.Service, 10000)
		has(t, "rejected: response", j.Response, 10300)
		has(t, "overall: response", r.Overall().Response, 10300, 16300, 10300)
		if r.Offered != 3 || r.Sent != 3 || r.Accepted != 2 || r.Rejected != 1 || r.Dropped != 0 || r.Late != 1 ||
			r.PoolWaits != 1 {
			t.Errorf("%+v", r)
		}
		if r.BytesWritten != 300 || r.BytesRead != 30 {
			t.Errorf("%d bytes written, %d read; want 300 and 30", r.BytesWritten, r.BytesRead)
		}
		if r.FirstWritten != 300*time.Microsecond || r.LastWritten != 30300*time.Microsecond ||
			r.LastReplied != 40300*time.Microsecond {
			t.Errorf("written %v to %v, replied until %v", r.FirstWritten, r.LastWritten, r.LastReplied)
		}
		// Three requests, so two gaps, in 30 ms.
		if want := 2 / 0.030; r.IntendedPerSecond != want || r.AchievedPerSecond != want ||
			r.Span != 30*time.Millisecond {
			t.Errorf("rates %v, %v over %v; want %v", r.IntendedPerSecond, r.AchievedPerSecond, r.Span, want)
		}
	})
}

// What a call does aside, such as init, is neither wait nor service.
func TestWhatIsAsideDoesNotCount(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		all, callers := slows(clock, 1, time.Millisecond)
		all[0].aside = 50 * time.Millisecond
		r, err := load.Open(t.Context(), due(0), callers, load.OpenOptions{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		has(t, "wait", r.OfAccepted.Wait, 0)
		has(t, "response", r.OfAccepted.Response, 1000)
	})
}

// A call belongs to the interval in which it was due, whenever it was answered; nothing due, no interval.
func TestIntervals(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		_, callers := slows(clock, 1, 8*time.Millisecond)
		r, err := load.Open(t.Context(), due(5, 9, -10, 35), callers,
			load.OpenOptions{Clock: clock, IntervalUS: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Intervals) != 3 {
			t.Fatalf("%d intervals; want those from 0, 10 and 30 ms", len(r.Intervals))
		}
		for i, want := range []struct{ start, accepted, rejected int64 }{{0, 2, 0}, {10_000, 0, 1}, {30_000, 1, 0}} {
			got := r.Intervals[i]
			if got.StartUS != want.start || got.WidthUS != 10_000 || got.Accepted != want.accepted ||
				got.Rejected != want.rejected {
				t.Errorf("interval %d: %+v; want %+v", i, got, want)
			}
		}
		has(t, "first interval", r.Intervals[0].OfAccepted().Response, 8000, 12000) // due 9, written 13, replied 21
		has(t, "second interval", r.Intervals[1].OfRejected().Response, 19000)      // due 10, written 21, replied 29
	})
}

// One connection, 10 ms of service, five requests within 8 ms of which each may be 15 ms late: the second is taken at
// 10 (8 late), the third at 20 (16 late). Queued, the others are taken at 30 and 40; where the third and the fourth are
// dropped, the fifth is taken at 20 too, and just in time.
func TestLateRequests(t *testing.T) {
	for _, c := range []struct {
		onLate              string
		sent, dropped, late int64
	}{
		{load.LateQueue, 5, 0, 3},
		{load.LateDrop, 3, 2, 2},
	} {
		bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
			_, callers := slows(clock, 1, 10*time.Millisecond)
			o := load.OpenOptions{Clock: clock, OnLate: c.onLate, LateAfter: 15 * time.Millisecond}
			r, err := load.Open(t.Context(), due(0, 2, 4, 4, 5), callers, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Offered != 5 || r.Sent != c.sent || r.Dropped != c.dropped || r.Late != c.late || r.Unsent != 0 {
				t.Errorf("%s: %+v; want %+v", c.onLate, r, c)
			}
		})
	}
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		_, callers := slows(clock, 1, 10*time.Millisecond)
		o := load.OpenOptions{Clock: clock, OnLate: load.LateFatal, LateAfter: 15 * time.Millisecond}
		_, err := load.Open(t.Context(), due(0, 2, 4, 4, 5), callers, o)
		want := "request at 4000µs: none of 1 connections was free for it until 16ms after it was due, and on_late: " +
			"fatal allows 15ms; " +
			"use more connections, a lower rate, or on_late: queue or drop"
		if late := (*load.LateError)(nil); !errors.As(err, &late) || err.Error() != want {
			t.Errorf("error %v", err)
		}
	})
}

// A burst is handed over in one go, and its queueing is wait, not lag, and no shortage of connections. Who comes
// while it drains waits because of it.
func TestABurstWaitsAndDoesNotLag(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		_, callers := slows(clock, 2, 10*time.Millisecond)
		r, err := load.Open(t.Context(), due(5, 5, 5, 5, 5, 12, 40, 41, 42), callers, load.OpenOptions{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		d := r.Overall()
		has(t, "lag", d.Lag, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		// The burst goes at 5, 5, 15, 15, 25; the one due at 12 goes at 25; 42 waits until 50, and no burst is the
		// reason.
		has(t, "wait", d.Wait, 0, 0, 10000, 10000, 20000, 13000, 0, 0, 8000)
		if r.PoolWaits != 1 {
			t.Errorf("%d waits for the pool; want that of the last request", r.PoolWaits)
		}
	})
}

// Requests due before the start are sent and not counted, and instants count from it.
func TestWarmUp(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		all, callers := slows(clock, 1, time.Millisecond)
		o := load.OpenOptions{Clock: clock, At: 25 * time.Millisecond, IntervalUS: 10_000}
		r, err := load.Open(t.Context(), after(-20*time.Millisecond, due(0, 10, 20, 30, 40)), callers, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.WarmUp != 2 || r.Offered != 3 || r.Sent != 3 || len(all[0].calls) != 5 {
			t.Errorf("%+v and %d calls", r, len(all[0].calls))
		}
		if r.FirstWritten != 0 || r.LastWritten != 20*time.Millisecond || r.Intervals[0].StartUS != 0 {
			t.Errorf("written from %v to %v; want 0 to 20ms", r.FirstWritten, r.LastWritten)
		}
		if want := clock.Origin.Add(25 * time.Millisecond); !r.Start.Equal(want) {
			t.Errorf("began at %v; want %v", r.Start, want)
		}
	})
}

// Stop ends the run early, after the call under way, with what there is.
func TestStop(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		_, callers := slows(clock, 1, 10*time.Millisecond)
		stop := make(chan struct{})
		time.AfterFunc(20*time.Millisecond, func() { close(stop) }) // 15 ms into the stream
		r, err := load.Open(t.Context(), due(0, 1, 2, 3, 100), callers, load.OpenOptions{Clock: clock, Stop: stop})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stopped || r.Offered != 4 || r.Sent != 2 || r.Unsent != 2 || clock.Now() > 30*time.Millisecond {
			t.Errorf("%+v at %v; want two sent and two left behind", r, clock.Now())
		}
	})
}

// Whatever ends a run, it ends at once: calls under way are cut short. The bubble sees that no goroutine is left.
func TestEndings(t *testing.T) {
	endless := func(yield func(limit.Request, error) bool) {
		for at := int64(0); yield(limit.Request{AtUS: at, Key: "k", Cost: 1}, nil); at += 10_000 {
		}
	}
	broken := errors.New("broken")
	breaks := func(yield func(limit.Request, error) bool) {
		_ = yield(limit.Request{Cost: 1}, nil) && yield(limit.Request{}, broken)
	}
	for name, c := range map[string]struct {
		stream iter.Seq2[limit.Request, error]
		fails  error
		want   error
		by     time.Duration
	}{
		"the context ends":    {endless, nil, context.Canceled, 50 * time.Millisecond},
		"a call fails":        {endless, broken, broken, time.Minute + 20*time.Millisecond},
		"the stream breaks":   {breaks, nil, broken, 10 * time.Millisecond},
		"no request, no harm": {due(), nil, nil, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
				all, callers := slows(clock, 3, time.Minute)
				all[0].fails, all[1].fails, all[2].fails = c.fails, c.fails, c.fails
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.want == context.Canceled {
					time.AfterFunc(40*time.Millisecond, cancel)
				}
				r, err := load.Open(ctx, c.stream, callers, load.OpenOptions{Clock: clock})
				if !errors.Is(err, c.want) || (err == nil) != (r != nil) || clock.Now() > c.by {
					t.Errorf("result %v, error %v at %v; want %v until %v", r, err, clock.Now(), c.want, c.by)
				}
			})
		})
	}
}

// Durations beyond what the histograms hold are counted, and in no histogram.
func TestOverflow(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		_, callers := slows(clock, 1, 61*time.Second)
		r, err := load.Open(t.Context(), due(0), callers, load.OpenOptions{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		has(t, "service", r.OfAccepted.Service)
		// service and response; on a busy machine the garbage collector may come first
		if r.Overflow != 2 || r.Accepted != 1 || !strings.HasSuffix(codes(r.Reasons()), "silence overflow") {
			t.Errorf("overflow %d, %v; want 2", r.Overflow, r.Reasons())
		}
	})
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	clock := load.NewClock(time.Now())
	_, callers := slows(clock, 1, 0)
	_, err := load.Open(t.Context(), due(0), callers, load.OpenOptions{Clock: clock, OnLate: "later"})
	if err == nil || err.Error() != `on_late "later"; want one of queue, drop, fatal` {
		t.Error(err)
	}
	if _, err = load.Open(t.Context(), due(0), nil, load.OpenOptions{Clock: clock}); err == nil ||
		!strings.Contains(err.Error(), "want at least one") {
		t.Error(err)
	}
}

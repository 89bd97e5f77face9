package load

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// One connection, 10 ms of service, a pacer that is 300 µs late. The second request is due while the first is served:
//
//	due 0   handed 0.3  written 0.3   replied 10.3
//	due 4   handed 4.3  written 10.3  replied 20.3
//	due 30  handed 30.3 written 30.3  replied 40.3   rejected
func TestTheFourDurations(t *testing.T) {
	bubble(t, 300*time.Microsecond, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 1, 10*time.Millisecond)
		r, err := opened(t.Context(), due(0, 4, -30), callers, Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		a, j := r.Outcomes.Admitted, r.Outcomes.Rejected
		has(t, "admitted: lag", a.Lag, 300, 300)
		has(t, "admitted: wait", a.Wait, 0, 6000)
		has(t, "admitted: service", a.Service, 10000, 10000)
		has(t, "admitted: response", a.Response, 10300, 16300)
		has(t, "rejected: lag", j.Lag, 300)
		has(t, "rejected: wait", j.Wait, 0)
		has(t, "rejected: service", j.Service, 10000)
		has(t, "rejected: response", j.Response, 10300)
		has(t, "overall: response", r.Outcomes.Overall().Response, 10300, 16300, 10300)
		if r.Offered != 3 || r.Sent != 3 || r.Admitted != 2 || r.Rejected != 1 || r.Dropped != 0 ||
			r.Health.PoolWaits != 1 {
			t.Errorf("%+v", r)
		}
		// Three requests, so two gaps, in 30 ms.
		if want := 2 / 0.030; r.IntendedPerS != want || r.AchievedPerS != want ||
			r.Span != 30*time.Millisecond {
			t.Errorf("rates %v, %v over %v; want %v", r.IntendedPerS, r.AchievedPerS, r.Span, want)
		}
	})
}

// What a call does aside, such as init, is neither wait nor service.
func TestWhatIsAsideDoesNotCount(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		all, callers := slows(t.Context(), clock, 1, time.Millisecond)
		all[0].aside = 50 * time.Millisecond
		r, err := opened(t.Context(), due(0), callers, Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		has(t, "wait", r.Outcomes.Admitted.Wait, 0)
		has(t, "response", r.Outcomes.Admitted.Response, 1000)
	})
}

// A call belongs to the interval in which it was due, whenever it was answered; nothing due, no interval.
func TestIntervals(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 1, 8*time.Millisecond)
		r, err := opened(t.Context(), due(5, 9, -10, 35), callers,
			Options{Clock: clock, IntervalUS: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Intervals) != 3 {
			t.Fatalf("%d intervals; want those from 0, 10 and 30 ms", len(r.Intervals))
		}
		for i, want := range []struct{ start, admitted, rejected int64 }{{0, 2, 0}, {10_000, 0, 1}, {30_000, 1, 0}} {
			got := r.Intervals[i]
			if got.StartUS != want.start || got.Admitted.Count() != want.admitted ||
				got.Rejected.Count() != want.rejected {
				t.Errorf("interval %d: %+v; want %+v", i, got, want)
			}
		}
		has(t, "first interval", r.Intervals[0].Admitted, 8000, 12000) // due 9, written 13, replied 21
		has(t, "second interval", r.Intervals[1].Rejected, 19000)      // due 10, written 21, replied 29
	})
}

// One connection, 10 ms of service, five requests within 8 ms of which each may be 15 ms late: the second is taken at
// 10 (8 late), the third at 20 (16 late). Queued, the others are taken at 30 and 40; where the third and the fourth are
// dropped, the fifth is taken at 20 too, and just in time.
func TestLateRequests(t *testing.T) {
	for _, c := range []struct {
		onLate        string
		sent, dropped int64
	}{
		{"queue", 5, 0},
		{lateDrop, 3, 2},
	} {
		bubble(t, 0, func(t *testing.T, clock Stopwatch) {
			_, callers := slows(t.Context(), clock, 1, 10*time.Millisecond)
			o := Options{Clock: clock, OnLate: c.onLate, LateAfter: 15 * time.Millisecond}
			r, err := opened(t.Context(), due(0, 2, 4, 4, 5), callers, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Offered != 5 || r.Sent != c.sent || r.Dropped != c.dropped {
				t.Errorf("%s: %+v; want %+v", c.onLate, r, c)
			}
		})
	}
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 1, 10*time.Millisecond)
		o := Options{Clock: clock, OnLate: lateFatal, LateAfter: 15 * time.Millisecond}
		_, err := opened(t.Context(), due(0, 2, 4, 4, 5), callers, o)
		want := "request at 4000µs: none of 1 connections was free for it until 16ms after it was due, and on_late: " +
			"fatal allows 15ms; " +
			"use more connections, a lower rate, or on_late: queue or drop"
		if err == nil || err.Error() != want {
			t.Errorf("error %v", err)
		}
	})
}

// A burst is handed over in one go, and its queueing is wait, not lag, and no shortage of connections. Who comes
// while it drains waits because of it.
func TestABurstWaitsAndDoesNotLag(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 2, 10*time.Millisecond)
		r, err := opened(t.Context(), due(5, 5, 5, 5, 5, 12, 40, 41, 42), callers, Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		d := r.Outcomes.Overall()
		has(t, "lag", d.Lag, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		// The burst goes at 5, 5, 15, 15, 25; the one due at 12 goes at 25; 42 waits until 50, and no burst is the
		// reason.
		has(t, "wait", d.Wait, 0, 0, 10000, 10000, 20000, 13000, 0, 0, 8000)
		if r.Health.PoolWaits != 1 {
			t.Errorf("%d waits for the pool; want that of the last request", r.Health.PoolWaits)
		}
	})
}

// Requests due before the start are sent and not counted, and instants count from it.
func TestRehearsal(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		all, callers := slows(t.Context(), clock, 1, time.Millisecond)
		requests := due(0, 10, 20, 30, 40)
		for i := range requests {
			requests[i].AtUS -= 20_000
		}
		o := Options{Clock: clock, IntervalUS: 10_000}
		r, err := openLoop(t.Context(), listed(requests), 5, callers, 25*time.Millisecond, &o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Offered != 3 || r.Sent != 3 || len(all[0].calls) != 5 || r.Intervals[0].StartUS != 0 ||
			r.start != 25*time.Millisecond {
			t.Errorf("%+v and %d calls", r, len(all[0].calls))
		}
	})
}

// Stop ends the run early, after the call under way, with what there is.
func TestStop(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 1, 10*time.Millisecond)
		ctx, interrupt := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { interrupt(message.ErrInterrupted) }) // 15 ms into the stream
		r, err := opened(ctx, due(0, 1, 2, 3, 100), callers, Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stopped || r.Offered != 4 || r.Sent != 2 || clock.Now() > 30*time.Millisecond {
			t.Errorf("%+v at %v; want two sent and two left behind", r, clock.Now())
		}
	})
}

// Whatever ends a run, nothing more is sent then, and a context cuts short what is under way. The bubble sees that no
// goroutine is left.
func TestEndings(t *testing.T) {
	many, broken := every(10*time.Millisecond, 10_000, "k"), errors.New("broken")
	for name, c := range map[string]struct {
		requests []limit.Request
		fails    error
		want     error
		by       time.Duration
	}{
		"the context ends":    {many, nil, context.Canceled, 50 * time.Millisecond},
		"a call fails":        {many, broken, broken, time.Second + 30*time.Millisecond},
		"no request, no harm": {due(), nil, nil, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 0, func(t *testing.T, clock Stopwatch) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				all, callers := slows(ctx, clock, 3, time.Second)
				all[0].fails, all[1].fails, all[2].fails = c.fails, c.fails, c.fails
				if c.want == context.Canceled {
					time.AfterFunc(40*time.Millisecond, cancel)
				}
				r, err := opened(ctx, c.requests, callers, Options{Clock: clock})
				if !errors.Is(err, c.want) || (err == nil) != (r != nil) || clock.Now() > c.by {
					t.Errorf("result %v, error %v at %v; want %v until %v", r, err, clock.Now(), c.want, c.by)
				}
			})
		})
	}
}

// Durations beyond what the histograms hold are counted, and in no histogram.
func TestOverflow(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 1, 61*time.Second)
		r, err := opened(t.Context(), due(0), callers, Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		has(t, "service", r.Outcomes.Admitted.Service)
		// service and response; on a busy machine the garbage collector may come first
		if r.Health.Overflow != 2 || r.Admitted != 1 || !strings.HasSuffix(codes(r.Reasons()), "overflow") {
			t.Errorf("overflow %d, %v; want 2", r.Health.Overflow, r.Reasons())
		}
	})
}

// Calls that depend on answers go on until no more are due and none is under way.
func TestASourceThatReacts(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		_, callers := slows(t.Context(), clock, 2, 10*time.Millisecond)
		next, left := []limit.Request{{Cost: 1}}, 3
		s := source{
			due: func(now time.Duration) ([]limit.Request, time.Duration, bool, error) {
				due := next
				next = nil
				return due, now + time.Millisecond, left == 0, nil
			},
			answered: func(n int, o Outcome) {
				if left--; left > 0 {
					next = []limit.Request{{AtUS: 10_000 * int64(n+1), Cost: 1}}
				}
			},
		}
		r, err := openLoop(t.Context(), s, 0, callers, 5*time.Millisecond, &Options{Clock: clock, IntervalUS: 1000})
		if err != nil || r.Sent != 3 || len(r.Intervals) != 3 {
			t.Fatalf("%+v, %v", r, err)
		}
		has(t, "lag", r.Outcomes.Overall().Lag, 0, 0, 0)
	})
}

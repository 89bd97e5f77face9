package load_test

import (
	"errors"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
)

// Two connections of 10 ms each: after 25 ms of warming up they are in their third calls, written at 20. In the 40 ms
// after that each writes at 30, 40, 50 and 60, and is answered 10 ms later.
func TestClosedLoop(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		all, callers := slows(clock, 2, 10*time.Millisecond)
		o := load.ClosedOptions{Clock: clock, WarmUp: 25 * time.Millisecond, Duration: 40 * time.Millisecond,
			IntervalUS: 20_000}
		r, err := load.Closed(t.Context(), due(0, 1, -2), callers, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Sent != 8 || r.WarmUp != 6 || r.Accepted+r.Rejected != 8 {
			t.Errorf("%+v", r)
		}
		has(t, "service", r.Overall().Service, 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000)
		has(t, "response", r.Overall().Response)
		if r.Elapsed != 45*time.Millisecond || r.PerSecond != 8/0.045 {
			t.Errorf("%v per second in %v; want 8 in 45ms", r.PerSecond, r.Elapsed)
		}
		if len(r.Intervals) != 2 || r.Intervals[0].Accepted+r.Intervals[0].Rejected != 4 { // written at 5, 15, 25, 35
			t.Errorf("intervals %+v", r.Intervals)
		}
		// The stream is dealt in turn and begun again.
		for i, want := range [][]int64{{0, 2000, 1000, 0}, {1000, 0, 2000, 1000}} {
			for n, us := range want {
				if got := all[i].calls[n].AtUS; got != us {
					t.Errorf("call %d of connection %d is the request at %d; want %d", n, i, got, us)
				}
			}
		}
	})
}

func TestClosedLoopEndings(t *testing.T) {
	broken := errors.New("broken")
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		all, callers := slows(clock, 2, 10*time.Millisecond)
		stop := make(chan struct{})
		time.AfterFunc(15*time.Millisecond, func() { close(stop) })
		r, err := load.Closed(t.Context(), due(0), callers,
			load.ClosedOptions{Clock: clock, Duration: time.Hour, Stop: stop})
		if err != nil || !r.Stopped || r.Sent != 4 {
			t.Errorf("stopped: %+v, %v", r, err)
		}
		all[0].fails = broken
		if _, err = load.Closed(t.Context(), due(0), callers,
			load.ClosedOptions{Clock: clock, Duration: time.Hour}); !errors.Is(err, broken) {
			t.Errorf("a call that fails: %v", err)
		}
		fails := func(yield func(limit.Request, error) bool) { yield(limit.Request{}, broken) }
		if _, err = load.Closed(t.Context(), fails, callers,
			load.ClosedOptions{Clock: clock, Duration: time.Hour}); !errors.Is(err, broken) {
			t.Errorf("a stream that fails: %v", err)
		}
		if _, err = load.Closed(t.Context(), due(), callers,
			load.ClosedOptions{Clock: clock, Duration: time.Hour}); err == nil {
			t.Error("no request, and no error")
		}
	})
}

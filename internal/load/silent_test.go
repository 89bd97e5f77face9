package load_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
)

// asleep is a server's limiter that answers nobody from an instant on until another.
type asleep struct {
	*slow
	from, until time.Duration
}

func (a *asleep) Call(ctx context.Context, req limit.Request) (load.Outcome, error) {
	o, err := a.slow.Call(ctx, req)
	if o.Replied > a.from && o.Written < a.until {
		time.Sleep(a.until - o.Replied)
		o.Replied = max(o.Replied, a.until)
	}
	return o, err
}

// sleepers stand still together.
func sleepers(clock load.Stopwatch, n int, from, until time.Duration) []load.Caller {
	all, callers := slows(clock, n, time.Millisecond)
	for i, s := range all {
		callers[i] = &asleep{s, from, until}
	}
	return callers
}

// In a closed loop every connection waits, in an open one of a low rate a single request does: both are found out, and
// the longest silence with its beginning.
func TestASilentServerIsFoundOut(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock load.Stopwatch) {
		began := clock.Now()
		closed, err := load.Closed(t.Context(), due(0),
			sleepers(clock, 3, began+100*time.Millisecond, began+600*time.Millisecond),
			load.ClosedOptions{Clock: clock, Duration: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		silent(t, "closed", closed.Reasons(), clock.Origin.Add(began+100*time.Millisecond), 500*time.Millisecond)

		began = clock.Now()
		open, err := load.Open(t.Context(), due(0, 300, 700),
			sleepers(clock, 3, began+250*time.Millisecond, began+650*time.Millisecond),
			load.OpenOptions{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		silent(t, "open", open.Reasons(), clock.Origin.Add(began+305*time.Millisecond), 345*time.Millisecond)
	})
}

// silent wants one reason, to some milliseconds. What the garbage collector took is of the real machine, not of the
// clock.
func silent(t *testing.T, what string, reasons []load.Reason, at time.Time, lasted time.Duration) {
	t.Helper()
	reasons = slices.DeleteFunc(reasons, func(r load.Reason) bool { return r.Code == load.ReasonGC })
	if len(reasons) != 1 || reasons[0].Code != load.ReasonSilence {
		t.Errorf("%s: the reasons are %+v; want a silence", what, reasons)
		return
	}
	if r := reasons[0]; r.At.Sub(at).Abs() > 3*time.Millisecond || (r.Lasted-lasted).Abs() > 3*time.Millisecond {
		t.Errorf("%s: %v from %v; want %v from %v", what, r.Lasted, r.At, lasted, at)
	}
}

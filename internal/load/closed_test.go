package load

import (
	"errors"
	"testing"
	"time"

	"ratelab/internal/result"
)

// Two connections of 10 ms each, for 40 ms: each writes at 0, 10, 20 and 30, and is answered 10 ms later. A second
// stretch adds as much.
func TestClosedLoop(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		all, callers := slows(t.Context(), clock, 2, 10*time.Millisecond)
		all[0].admits = true
		var r ClosedResult
		for n := int64(1); n <= 2; n++ {
			if err := Closed(t.Context(), clock, callers, 40*time.Millisecond, nil, &r); err != nil {
				t.Fatal(err)
			}
			if r.Sent != 8*n || r.Accepted != 4*n || r.Service.TotalCount() != 8*n || r.Service.Min() != 10_000 ||
				r.Elapsed != time.Duration(n)*40*time.Millisecond || r.PerSecond() != 8/0.04 || r.Stopped {
				t.Errorf("%d stretches: %+v", n, r)
			}
		}
	})
}

func TestClosedLoopEndings(t *testing.T) {
	broken := errors.New("broken")
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		all, callers := slows(t.Context(), clock, 2, 10*time.Millisecond)
		stop := make(chan struct{})
		time.AfterFunc(15*time.Millisecond, func() { close(stop) })
		var r ClosedResult
		if err := Closed(t.Context(), clock, callers, time.Hour, stop, &r); err != nil || !r.Stopped || r.Sent != 4 {
			t.Errorf("stopped: %+v, %v", r, err)
		}
		all[0].fails = broken
		if err := Closed(t.Context(), clock, callers, time.Hour, nil, &r); !errors.Is(err, broken) {
			t.Errorf("a call that fails: %v", err)
		}
	})
}

// Of several stretches the worst counts, and the instant is that of the longest stall.
func TestHealthAddsUp(t *testing.T) {
	var h Health
	longest := time.UnixMilli(1)
	for _, o := range []Health{{result.Health{StallMaxUS: 3, GCPauseMaxUS: 1}, longest},
		{result.Health{StallMaxUS: 1, GCPauseMaxUS: 2, SilenceMaxUS: new(5.0)}, time.UnixMilli(2)}} {
		h.add(o)
	}
	if h.StallMaxUS != 3 || h.GCPauseMaxUS != 2 || h.StalledAt != longest || *h.SilenceMaxUS != 5 {
		t.Errorf("%+v", h)
	}
}

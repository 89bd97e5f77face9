package load_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ratelab/internal/limit"
	"ratelab/internal/load"
)

// bubble runs a test in which time passes only when everybody sleeps, and fails it where a goroutine is left over. The
// clock's naps last exactly as long as asked, plus oversleep.
func bubble(t *testing.T, oversleep time.Duration, test func(t *testing.T, clock load.Stopwatch)) {
	synctest.Test(t, func(t *testing.T) {
		clock := load.NewClock(time.Now())
		clock.Nap, clock.Pacer = func(d time.Duration) { time.Sleep(d + oversleep) }, load.PacerTimer
		test(t, clock)
	})
}

// slow is a limiter that takes its time, and admits requests of cost 1.
type slow struct {
	clock   load.Stopwatch
	service time.Duration
	aside   time.Duration
	fails   error // instead of an answer
	calls   []limit.Request
}

func (s *slow) Call(ctx context.Context, req limit.Request) (load.Outcome, error) {
	s.calls = append(s.calls, req)
	time.Sleep(s.aside)
	o := load.Outcome{Written: s.clock.Now(), Aside: s.aside, BytesWritten: 100, BytesRead: 10}
	if req.Cost == 1 {
		o.Decision.Verdict = limit.Allowed
	}
	select {
	case <-time.After(s.service):
	case <-ctx.Done():
		return o, ctx.Err()
	}
	o.Replied = s.clock.Now()
	return o, s.fails
}

// slows are n of them.
func slows(clock load.Stopwatch, n int, service time.Duration) ([]*slow, []load.Caller) {
	var all []*slow
	var callers []load.Caller
	for range n {
		s := &slow{clock: clock, service: service}
		all, callers = append(all, s), append(callers, s)
	}
	return all, callers
}

// due are requests at these milliseconds; negative ones are rejected.
func due(ms ...int64) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, at := range ms {
			req := limit.Request{AtUS: at * 1000, Key: "k", Cost: 1}
			if at < 0 {
				req.AtUS, req.Cost = -at*1000, 2
			}
			if !yield(req, nil) {
				return
			}
		}
	}
}

// has checks that a histogram has these microseconds and no others.
func has(t *testing.T, what string, h *hdrhistogram.Histogram, us ...int64) {
	t.Helper()
	want := load.NewDurations().Lag
	for _, v := range us {
		if err := want.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	if !h.Equals(want) {
		t.Errorf("%s: %v; want %v", what, bars(h), bars(want))
	}
}

// bars are the filled buckets.
func bars(h *hdrhistogram.Histogram) []string {
	var all []string
	for _, b := range h.Distribution() {
		if b.Count > 0 {
			all = append(all, b.String())
		}
	}
	return all
}

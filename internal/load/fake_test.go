package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// bubble runs a test in which time passes only when everybody sleeps, and fails it where a goroutine is left over. The
// clock's naps last exactly as long as asked, plus oversleep.
func bubble(t *testing.T, oversleep time.Duration, test func(t *testing.T, clock Stopwatch)) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock(time.Now())
		clock.Nap = func(d time.Duration) { time.Sleep(d + oversleep) }
		test(t, clock)
	})
}

// slow is a limiter that takes its time, and admits requests of cost 1.
type slow struct {
	ctx     context.Context
	clock   Stopwatch
	service time.Duration
	aside   time.Duration
	fails   error // instead of an answer
	admits  bool  // whatever it costs
	calls   []limit.Request
}

func (s *slow) Call(req limit.Request) (Outcome, error) {
	s.calls = append(s.calls, req)
	time.Sleep(s.aside)
	o := Outcome{Written: s.clock.Now(), Aside: s.aside, BytesWritten: 100, BytesRead: 10}
	if req.Cost == 1 || s.admits {
		o.Decision.Verdict = limit.Allowed
	}
	select {
	case <-time.After(s.service):
	case <-s.ctx.Done():
		return o, s.ctx.Err()
	}
	o.Replied = s.clock.Now()
	return o, s.fails
}

// slows are n of them.
func slows(ctx context.Context, clock Stopwatch, n int, service time.Duration) ([]*slow, []Caller) {
	var all []*slow
	var callers []Caller
	for range n {
		s := &slow{ctx: ctx, clock: clock, service: service}
		all, callers = append(all, s), append(callers, s)
	}
	return all, callers
}

// due are requests at these milliseconds; negative ones are rejected.
func due(ms ...int64) []limit.Request {
	var all []limit.Request
	for _, at := range ms {
		req := limit.Request{AtUS: at * 1000, Key: "k", Cost: 1}
		if at < 0 {
			req.AtUS, req.Cost = -at*1000, 2
		}
		all = append(all, req)
	}
	return all
}

// every gives n requests for key, one every gap.
func every(gap time.Duration, n int, key string) []limit.Request {
	var all []limit.Request
	for i := range n {
		all = append(all, limit.Request{AtUS: int64(i) * gap.Microseconds(), Key: key, Cost: 1})
	}
	return all
}

// opened sends requests in an open loop as soon as may be.
func opened(ctx context.Context, requests []limit.Request, callers []Caller, o Options) (*OpenResult, error) {
	start := o.Clock.Now() + 5*time.Millisecond
	if o.IntervalUS == 0 {
		o.IntervalUS = 1_000_000
	}
	return openLoop(ctx, listed(requests), len(requests), callers, start, &o)
}

// has checks that a histogram has these microseconds and no others.
func has(t *testing.T, what string, h *result.Histogram, us ...int64) {
	t.Helper()
	want := result.NewHistogram()
	for _, v := range us {
		if err := want.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	if !h.Histogram.Equals(want.Histogram) {
		t.Errorf("%s: %v; want %v", what, bars(h.Histogram), bars(want.Histogram))
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

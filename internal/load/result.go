package load

import (
	"iter"
	"slices"
	"time"

	"ratelab/internal/result"
)

// record adds a duration, to the nearest microsecond; 1: it is too long.
func record(h *result.Histogram, d time.Duration) (overflow int64) {
	us := max(0, d.Round(time.Microsecond).Microseconds())
	if us > result.HighestUS || h.RecordValue(us) != nil {
		return 1
	}
	return 0
}

// OpenResult is what an open loop measured, of the requests that count: Offered = Sent + Dropped, and what an interrupt
// left.
type OpenResult struct {
	result.Latency // but for what only several rounds have; intervals in which nothing was sent are left out
	Health         Health

	Workers, Cores int
	Stopped        bool          // ended early: the figures are of what had been sent by then
	Span           time.Duration // from the first request's due time to the last one's
	HandedSpan     time.Duration // from the first handed over to the last

	start time.Duration // of what counts
	calls []*call
}

// counted are the calls that count, in the order in which they were due.
func (r *OpenResult) counted() iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for _, c := range r.calls {
			if c.due >= r.start && !yield(c) {
				return
			}
		}
	}
}

// result sums up what has become of the calls, once nobody writes to them any more.
//
// Note: workers that record into histograms themselves wait for each other, or have megabytes of histograms each.
func (l *open) result(health Health, cores int) *OpenResult {
	r := &OpenResult{Latency: result.Latency{Outcomes: result.NewOutcomes()}, Health: health,
		Workers: l.queue.workers, Cores: cores, Stopped: l.stopped(), start: l.start, calls: l.calls}
	var first, last *call
	for c := range r.counted() {
		if first == nil {
			first = c
		}
		last = c
		r.add(c, l.IntervalUS)
	}
	if first != nil {
		r.Span, r.HandedSpan = last.due-first.due, last.handed-first.handed
		r.IntendedPerS, r.AchievedPerS = rate(r.Offered, r.Span), rate(r.Offered, r.HandedSpan)
	}
	r.Intervals = slices.DeleteFunc(r.Intervals, func(i result.Interval) bool {
		return i.Admitted == nil && i.Rejected == nil
	})
	return r
}

// rate is n events per second over so long, the gaps between them counted; 0 where there is no gap.
func rate(n int64, span time.Duration) float64 {
	if span <= 0 {
		return 0
	}
	return float64(n-1) / span.Seconds()
}

// add counts a call, and takes its times, without what it did aside.
func (r *OpenResult) add(c *call, widthUS int64) {
	r.Offered++
	if c.poolWait {
		r.Health.PoolWaits++
	}
	if c.fate == dropped {
		r.Dropped++
	}
	if c.fate != answered {
		return
	}
	r.Sent++
	index := int((c.due - r.start).Microseconds() / widthUS)
	for n := len(r.Intervals); n <= index; n++ {
		r.Intervals = append(r.Intervals, result.Interval{StartUS: int64(n) * widthUS, WidthUS: widthUS})
	}
	d, responses := r.Outcomes.Rejected, &r.Intervals[index].Rejected
	if c.Decision.Allowed() {
		r.Admitted++
		d, responses = r.Outcomes.Admitted, &r.Intervals[index].Admitted
	} else {
		r.Rejected++
	}
	if *responses == nil {
		*responses = result.NewHistogram()
	}
	response := c.Replied - c.Aside - c.due
	r.Health.Overflow += record(d.Lag, c.handed-c.due) + record(d.Wait, c.Written-c.Aside-c.handed) +
		record(d.Service, c.Replied-c.Written) + record(d.Response, response)
	record(*responses, response)
}

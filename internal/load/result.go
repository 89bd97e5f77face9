package load

import (
	"iter"
	"slices"
	"time"

	"ratelab/internal/result"
)

// record adds a duration to a histogram, rounded to a microsecond. It returns 1 if the duration is too long for the
// histogram, and 0 otherwise.
func record(h *result.Histogram, d time.Duration) (overflow int64) {
	us := max(0, d.Round(time.Microsecond).Microseconds())
	if us > result.HighestUS || h.RecordValue(us) != nil {
		return 1
	}
	return 0
}

// OpenResult holds the measurements of an open loop for the requests that count. Offered = Sent + Dropped + the
// requests that an interrupt left unsent.
type OpenResult struct {
	result.Latency // without the fields that need several rounds; intervals without sent requests are left out
	Health         Health

	Workers, Cores int
	Stopped        bool          // ended early; the figures cover what was sent by then
	Span           time.Duration // from the due time of the first request to that of the last
	HandedSpan     time.Duration // from the first hand-over to the last

	start time.Duration // when the requests that count begin
	calls []*call
}

// counted returns the calls that count, in the order in which they were due.
func (r *OpenResult) counted() iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for _, c := range r.calls {
			if c.due >= r.start && !yield(c) {
				return
			}
		}
	}
}

// result computes the results after all workers have ended.
//
// Note: if workers recorded into shared histograms, they would wait for each other. Histograms per worker would take
// megabytes each.
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

// rate returns the events per second of n events that span the given time. It counts the n-1 gaps between them. It
// returns 0 if the span is 0.
func rate(n int64, span time.Duration) float64 {
	if span <= 0 {
		return 0
	}
	return float64(n-1) / span.Seconds()
}

// add counts a call, and records its durations without Aside.
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

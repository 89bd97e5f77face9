// Package measure computes figures from decisions: the admitted cost, the peak in any window, the cost admitted beyond
// the limit, and the cost rejected although the limit allows it. result.go has the definitions. The package does not
// depend on any algorithm, server or clock. Requests must come in the order of their time.
package measure

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ratelab/internal/limit"
)

// Meter measures the decisions of one row. It is not safe for concurrent use.
type Meter struct {
	policy   limit.Policy
	duration time.Duration
	counts   Result // Tally fills in the figures that are computed at the end
	windows  *windows
	behind   *buckets // the exact limiter under a bucket contract; under a window contract windows does its work
	timeline timeline
	digest   digest
	steepest *steepest // the largest quotient of a bucket contract; nil under a window contract
	admitted Ledger
	rejected Marks
	scales   *scales  // nil: WatchScales was not called
	shaping  *shaping // nil: no request has been delayed
	over     bool     // the run has ended; later departures are on no timeline
	lastUS   int64
	slots    Slots
	broken   error // the error of the first invalid request
}

// NewMeter returns a Meter for a run of the given duration under p. With duration 0, unknown, the buckets of the Series
// have less round widths.
func NewMeter(p limit.Policy, duration time.Duration) *Meter {
	m := &Meter{policy: p, duration: duration, windows: newWindows(p.WindowUS()),
		timeline: timeline{axis: newAxis(duration)}}
	m.windows.flights = p.Contract == limit.ByFlight
	if p.Contract == limit.ByBucket {
		m.behind, m.steepest = newBuckets(p), newSteepest(p)
	}
	return m
}

// WatchScales makes the meter find the most cost admitted in any interval of each length. The lengths are ascending and
// in µs; see TimeScales. It must be called before the first Observe. The memory grows with the number of admissions in
// the longest length.
func (m *Meter) WatchScales(lengths []int64) {
	m.scales = newScales(lengths)
	m.windows.release = m.scales.release
}

// Observe records the decision on q; number is the number of q's key. NotConfigured counts also as rejected, and
// Unavailable also as an error. Invalid input, such as a request older than the one before, makes Result return an
// error.
func (m *Meter) Observe(q limit.Request, number int64, d limit.Decision) {
	if !m.offer(q) {
		return
	}
	m.digest.add(q, d.Allowed())
	if m.windows.flights {
		m.slots.count(m.policy.Requests, d, func() int64 {
			sum, _ := m.windows.at(number, q.AtUS)
			return sum
		})
	}
	switch d.Verdict {
	case limit.Allowed:
		m.counts.Admitted++
		m.counts.AdmittedCost += q.Cost
		m.admitted.Add(number, q.Cost)
		m.admit(departure{q, number, q.AtUS + d.DelayUS}, d)
	case limit.Rejected, limit.NotConfigured:
		m.counts.Rejected++
		m.rejected.add(number)
		if d.Verdict == limit.NotConfigured {
			m.counts.NotConfigured++
		}
	case limit.Unavailable:
		m.counts.Errors++
		m.counts.Unavailable++
	}
}

// offer counts q as offered if it is valid. Before that, it counts the delayed requests that leave by then.
func (m *Meter) offer(q limit.Request) bool {
	if q.AtUS < m.lastUS || q.Cost < 1 {
		if m.broken == nil {
			m.broken = fmt.Errorf("request at %d us with cost %d after one at %d us: want times that do not decrease "+
				"and costs from 1", q.AtUS, q.Cost, m.lastUS)
		}
		return false
	}
	m.lastUS = q.AtUS
	m.counts.Offered++
	m.counts.OfferedCost += q.Cost
	if m.shaping != nil {
		m.leave(q.AtUS)
	}
	m.timeline.moveTo(q.AtUS, m.windows)
	return true
}

// admit counts an admission now, or, if it is delayed, when it leaves.
func (m *Meter) admit(a departure, d limit.Decision) {
	if d.DelayUS != 0 && m.shaping == nil {
		m.shaping = &shaping{delays: Delays{0: m.counts.Admitted - 1}} // all earlier ones left without delay
	}
	if m.shaping != nil {
		m.shaping.admit(a)
		m.timeline.wait(d.DelayUS)
	}
	if d.DelayUS == 0 {
		m.depart(a)
	}
}

// leave counts the delayed requests that leave by atUS.
func (m *Meter) leave(atUS int64) {
	for a, ok := m.shaping.next(atUS); ok; a, ok = m.shaping.next(atUS) {
		if !m.over {
			m.timeline.moveTo(a.leavesUS, m.windows)
		}
		m.depart(a)
	}
}

// depart counts a request that leaves now, and offers it to the exact limiter behind this one.
func (m *Meter) depart(a departure) {
	slot := m.windows.slot(a.number, a.leavesUS)
	within := m.windows.rings[slot].kept+a.Cost <= m.policy.Requests
	if m.behind != nil {
		within = m.behind.take(a.number, a.leavesUS, a.Cost)
	}
	if !within {
		m.counts.Excess += a.Cost
	}
	if m.steepest != nil {
		m.counts.XLimit = m.steepest.add(a.number, a.leavesUS, a.Cost)
	}
	if m.scales != nil {
		m.scales.add(slot, a.leavesUS, a.Cost)
	}
	until := a.leavesUS
	if m.windows.flights {
		until += max(1, a.TakesUS)
	}
	rolling := m.windows.add(slot, until, a.Cost, within)
	m.counts.Peak = max(m.counts.Peak, rolling)
	if !m.over {
		m.timeline.admit(a.Cost, rolling)
	}
}

// Admitted returns the admitted cost by key.
func (m *Meter) Admitted() *Ledger { return &m.admitted }

// Rejected returns the keys with at least one rejected request.
func (m *Meter) Rejected() Marks { return m.rejected }

// Result returns the figures of all observed decisions in a run of that duration. exact has the costs that the
// Reference admitted for the same requests, and refused has the keys that it rejected. If exact is nil, the lost cost
// is not computed. An error means invalid input or figures that contradict each other.
func (m *Meter) Result(duration time.Duration, exact *Ledger, refused Marks) (Result, error) {
	t, err := m.Tally(duration, exact, refused)
	if err != nil {
		return t.Counts, err
	}
	return t.Result(m.policy)
}

// Tally returns everything observed in a run of that duration; see Result for exact. It is the last call on a Meter.
func (m *Meter) Tally(duration time.Duration, exact *Ledger, refused Marks) (*Tally, error) {
	m.finish(duration)
	t := &Tally{Counts: m.counts, Digest: m.digest.sum, Series: m.Series()}
	if m.windows.flights {
		t.Slots = &m.slots
	}
	if m.scales != nil {
		t.MostAdmitted = m.scales.result()
	}
	if m.shaping != nil {
		t.Delays = m.shaping.delays
	}
	t.Counts.UsersRejected = m.rejected.without(nil)
	if exact != nil {
		t.Counts.UsersRejectedNeedlessly = m.rejected.without(refused)
		t.LostCost, t.Counts.ExactCost = lost(exact, &m.admitted), exact.total()
	}
	return t, m.broken
}

// finish lets all delayed requests leave. Departures after the run are on no timeline. The run lasts at least until its
// last request, also one of a key that this Meter does not see.
func (m *Meter) finish(duration time.Duration) {
	m.duration = duration
	if m.shaping != nil {
		m.leave(max(m.timeline.axis.lastUS, duration.Microseconds()-1))
		m.timeline.complete(duration, m.windows) // with the departures so far
		m.over = true
		m.leave(math.MaxInt64)
	}
}

// LastDeparture returns when the last delayed request leaves, in µs from the start. It is 0 if none was delayed.
func (m *Meter) LastDeparture() int64 {
	if m.shaping == nil {
		return 0
	}
	return m.shaping.lastUS
}

// Reach extends the Series at least to usFromStart, even if nothing happens there.
func (m *Meter) Reach(usFromStart int64) {
	m.timeline.axis.lastUS = max(m.timeline.axis.lastUS, usFromStart)
}

// Series returns the course of the run over its whole duration: that given to Result, or else to NewMeter. It must be
// the last call on a Meter.
func (m *Meter) Series() Series {
	l := &m.timeline
	n := l.complete(m.duration, m.windows)
	s := Series{BucketUS: l.axis.widthUS, Admitted: slices.Clone(l.admitted[:n]), Rolling: slices.Clone(l.rolling[:n])}
	if m.shaping != nil {
		s.DelayUS = slices.Clone(l.delay[:n])
	}
	return s
}

// Check returns an error for the first contradiction between two figures.
func (r Result) Check() error {
	switch {
	case r.Offered != r.Admitted+r.Rejected+r.Errors:
		return fmt.Errorf("offered %d is not admitted %d + rejected %d + errors %d", r.Offered, r.Admitted, r.Rejected,
			r.Errors)
	case r.NotConfigured > r.Rejected || r.Unavailable > r.Errors:
		return fmt.Errorf("%d not configured of %d rejected, %d unavailable of %d errors: want no part above its whole",
			r.NotConfigured, r.Rejected, r.Unavailable, r.Errors)
	case r.OfferedCost < r.Offered || r.AdmittedCost < r.Admitted:
		return fmt.Errorf("costs %d offered and %d admitted are below the requests, %d and %d: a sum overflowed",
			r.OfferedCost, r.AdmittedCost, r.Offered, r.Admitted)
	case r.AdmittedCost > r.OfferedCost:
		return fmt.Errorf("admitted cost %d exceeds offered cost %d", r.AdmittedCost, r.OfferedCost)
	case r.Peak > r.AdmittedCost:
		return fmt.Errorf("peak of a window %d exceeds admitted cost %d", r.Peak, r.AdmittedCost)
	case r.Excess > r.AdmittedCost:
		return fmt.Errorf("excess %d exceeds admitted cost %d", r.Excess, r.AdmittedCost)
	case r.ExactCost > r.OfferedCost || r.Lost > 1:
		return fmt.Errorf("the exact limiter admits %d of offered cost %d, and %v of that is lost", r.ExactCost,
			r.OfferedCost, r.Lost)
	}
	return nil
}

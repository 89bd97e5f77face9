// Package measure computes figures from decisions: how much was admitted, the peak in any window, how much was admitted
// beyond the limit, and how much was rejected that the limit allows. result.go has the definitions. The package knows
// no algorithm, no server and no clock. Requests must come in the order of their time.
package measure

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ratelab/internal/limit"
)

// Meter measures one row's decisions. It is not safe for concurrent use.
type Meter struct {
	policy   limit.Policy
	duration time.Duration
	counts   Result // what Tally says besides is filled in there
	windows  *windows
	behind   *buckets // the exact limiter behind, by the bucket; by the window it is in windows
	timeline timeline
	digest   digest
	steepest *steepest // the largest quotient of a bucket contract; nil under a window contract
	admitted Ledger
	rejected Marks
	scales   *scales  // nil: not wanted
	shaping  *shaping // nil: nothing was delayed
	over     bool     // what leaves now leaves after the run, and is on no timeline
	lastUS   int64
	broken   error // the first request or decision that cannot be
}

// NewMeter is for a run of the duration under p; 0 is unknown, and gives buckets that are less round.
func NewMeter(p limit.Policy, duration time.Duration) *Meter {
	m := &Meter{policy: p, duration: duration, windows: newWindows(p.WindowUS()),
		timeline: timeline{axis: newAxis(duration)}}
	if p.Contract == limit.ByBucket {
		m.behind, m.steepest = newBuckets(p), newSteepest(p)
	}
	return m
}

// WatchScales makes the meter find the most admitted in any interval of each of the lengths, ascending and in µs; see
// TimeScales. It is called before the first Observe. Memory grows with what was admitted in the longest of them.
func (m *Meter) WatchScales(lengths []int64) {
	m.scales = newScales(lengths)
	m.windows.release = m.scales.release
}

// Observe takes the decision on q, and the number of q's key. NotConfigured also counts as rejected, Unavailable also
// as an error. Result reports impossible input, such as a request that is older than the one before.
func (m *Meter) Observe(q limit.Request, number int64, d limit.Decision) {
	if !m.offer(q) {
		return
	}
	m.digest.add(q, d.Allowed())
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

// offer counts q as offered, unless it is impossible. Delayed requests that leave by then leave first.
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
		m.shaping = &shaping{delays: Delays{0: m.counts.Admitted - 1}} // the others left at once
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

// depart counts a request that leaves now, and lets the exact limiter behind decide it.
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
	rolling := m.windows.add(slot, a.leavesUS, a.Cost, within)
	m.counts.Peak = max(m.counts.Peak, rolling)
	if !m.over {
		m.timeline.admit(a.Cost, rolling)
	}
}

// Admitted is the admitted cost, by key.
func (m *Meter) Admitted() *Ledger { return &m.admitted }

// Rejected are the keys with a rejected request.
func (m *Meter) Rejected() Marks { return m.rejected }

// Result is computed from everything observed in a run of that duration. exact is what the Reference admitted of the
// same requests, and refused has the keys that it rejected; nil: what is lost is not wanted. An error means that the
// figures contradict each other.
func (m *Meter) Result(duration time.Duration, exact *Ledger, refused Marks) (Result, error) {
	t, err := m.Tally(duration, exact, refused)
	if err != nil {
		return t.Counts, err
	}
	return t.Result(m.policy)
}

// Tally is everything observed, in a run of that duration; see Result for exact. It is the last call on a Meter.
func (m *Meter) Tally(duration time.Duration, exact *Ledger, refused Marks) (*Tally, error) {
	m.finish(duration)
	t := &Tally{Counts: m.counts, Digest: m.digest.sum, Series: m.Series()}
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

// finish has everything leave, and what leaves after the run be on no timeline. The run lasts to its last request at
// least, which may be of another key.
func (m *Meter) finish(duration time.Duration) {
	m.duration = duration
	if m.shaping != nil {
		m.leave(max(m.timeline.axis.lastUS, duration.Microseconds()-1))
		m.timeline.complete(duration, m.windows) // by what has left so far
		m.over = true
		m.leave(math.MaxInt64)
	}
}

// LastDeparture is when the last of the delayed requests leaves, in µs from the start; 0 where none was delayed.
func (m *Meter) LastDeparture() int64 {
	if m.shaping == nil {
		return 0
	}
	return m.shaping.lastUS
}

// Reach has the Series go on to usFromStart at least, although nothing happens there.
func (m *Meter) Reach(usFromStart int64) {
	m.timeline.axis.lastUS = max(m.timeline.axis.lastUS, usFromStart)
}

// Series is how the run went over time, over its whole duration: that given to Result, or else to NewMeter.
// It is the last thing to ask of a Meter.
func (m *Meter) Series() Series {
	l := &m.timeline
	n := l.complete(m.duration, m.windows)
	s := Series{BucketUS: l.axis.widthUS, Admitted: slices.Clone(l.admitted[:n]), Rolling: slices.Clone(l.rolling[:n])}
	if m.shaping != nil {
		s.DelayUS = slices.Clone(l.delay[:n])
	}
	return s
}

// Check reports the first contradiction between two figures.
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

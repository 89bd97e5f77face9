// Package measure observes decisions and says what they amount to: how much was admitted, how high the sum in
// any window rose, where the exact limit would have decided otherwise. The definitions stand in result.go. It
// knows no algorithm, no server and no clock; it takes requests in the order of their time.
package measure

import (
	"fmt"
	"slices"
	"time"

	"ratelab/internal/limit"
)

// Meter observes what one algorithm decides about one run. It is not safe for concurrent use.
type Meter struct {
	policy   limit.Policy
	duration time.Duration
	counts   Result // the sums; the derived figures are filled in by Result
	windows  *windows
	timeline timeline
	digest   digest
	scales   *scales         // nil: not wanted
	rate     *RateDifference // the same
	lastUS   int64
	broken   error // the first request or decision that cannot be
}

// NewMeter is for a run of the duration under p; 0 is unknown, and gives buckets that are less round.
func NewMeter(p limit.Policy, duration time.Duration) *Meter {
	return &Meter{policy: p, duration: duration, windows: newWindows(p.WindowUS()),
		timeline: timeline{axis: newAxis(duration)}, digest: newDigest()}
}

// WatchScales makes the meter find the most admitted in any interval of each of the lengths, ascending and in µs; see
// TimeScales. It is called before the first Observe. Memory grows with what was admitted in the longest of them.
func (m *Meter) WatchScales(lengths []int64) {
	m.scales = newScales(lengths)
	m.windows.release = m.scales.release
}

// WatchRate makes the meter compare what the limiter believes to be used with what it admitted; see RateDifference.
// It is called before the first Observe.
func (m *Meter) WatchRate() { m.rate = &RateDifference{} }

// MostAdmitted is, for each length that WatchScales was given, the most admitted so far for one key in any half-open
// interval (t−w, t] of that length; nil where it was not called.
func (m *Meter) MostAdmitted() []int64 {
	if m.scales == nil {
		return nil
	}
	return slices.Clone(m.scales.result())
}

// RateDifference is the mean; nil where WatchRate was not called or nothing was ever in use.
func (m *Meter) RateDifference() *float64 { return m.rate.mean() }

// Observe takes the decision on q, and what the exact Reference said to the same request. NotConfigured counts
// as rejected. What cannot be, such as a request that is older than the one before, is reported by Result.
func (m *Meter) Observe(q limit.Request, d limit.Decision, exact bool) {
	if !m.offer(q) {
		return
	}
	m.digest.add(q, d.Allowed())
	switch d.Verdict {
	case limit.Allowed:
		m.admit(q, d)
		if !exact {
			m.counts.FalseAdmits++
		}
	case limit.Rejected, limit.NotConfigured:
		m.counts.Rejected++
		m.reject(q, d)
		if exact {
			m.counts.FalseRejects++
		}
	}
}

// ObserveError takes a request whose call failed. It was not admitted, and is hashed as such; whether the
// reference would have admitted it says nothing about the algorithm.
func (m *Meter) ObserveError(q limit.Request) {
	if m.offer(q) {
		m.digest.add(q, false)
		m.counts.Errors++
	}
}

// offer counts q as offered, unless it cannot be.
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
	m.timeline.moveTo(q.AtUS, m.windows)
	return true
}

func (m *Meter) admit(q limit.Request, d limit.Decision) {
	m.counts.Admitted++
	m.counts.AdmittedCost += q.Cost
	slot := m.windows.slot(q.Key, q.AtUS)
	if m.rate != nil {
		m.rate.add(m.policy.Requests-d.Remaining-q.Cost, m.windows.sums[slot])
	}
	if m.scales != nil {
		m.scales.add(slot, q.AtUS, q.Cost)
	}
	rolling := m.windows.add(slot, q.AtUS, q.Cost)
	m.counts.PeakWindowAdmitted = max(m.counts.PeakWindowAdmitted, rolling)
	m.timeline.admit(q.Cost, rolling)
}

func (m *Meter) reject(q limit.Request, d limit.Decision) {
	if m.rate != nil && d.Verdict == limit.Rejected {
		m.rate.add(m.policy.Requests-d.Remaining, m.windows.sum(q.Key, q.AtUS))
	}
}

// Result is the account of everything observed, for a run that took the duration and saw so many distinct keys.
// Without a duration or keys the utilization is 0, since it has no denominator. An error means that the figures
// contradict each other: the harness is wrong, not the algorithm.
func (m *Meter) Result(duration time.Duration, keys int64) (Result, error) {
	m.duration = duration
	r := m.counts
	r.Overshoot = float64(r.PeakWindowAdmitted) / float64(m.policy.Requests)
	if duration > 0 && keys > 0 {
		windows := float64(duration.Microseconds()) / float64(m.policy.WindowUS())
		r.Utilization = float64(r.AdmittedCost) / (float64(m.policy.Requests) * windows * float64(keys))
	}
	r.DecisionsSHA256 = m.digest.sum()
	if m.broken != nil {
		return r, m.broken
	}
	return r, r.Check()
}

// Reach has the Series go on to usFromStart at least, although nothing happens there.
func (m *Meter) Reach(usFromStart int64) {
	m.timeline.axis.lastUS = max(m.timeline.axis.lastUS, usFromStart)
}

// Series is how the run went over time, over its whole duration: that given to Result, or else to NewMeter.
// It is the last thing to ask of a Meter.
func (m *Meter) Series() Series {
	return m.timeline.series(m.duration, m.windows)
}

// Check reports the first two figures that contradict each other.
func (r Result) Check() error {
	switch {
	case r.Offered != r.Admitted+r.Rejected+r.Errors:
		return fmt.Errorf("offered %d is not admitted %d + rejected %d + errors %d", r.Offered, r.Admitted, r.Rejected,
			r.Errors)
	case r.OfferedCost < r.Offered || r.AdmittedCost < r.Admitted:
		return fmt.Errorf("costs %d offered and %d admitted are below the requests, %d and %d: a sum overflowed",
			r.OfferedCost, r.AdmittedCost, r.Offered, r.Admitted)
	case r.AdmittedCost > r.OfferedCost:
		return fmt.Errorf("admitted cost %d exceeds offered cost %d", r.AdmittedCost, r.OfferedCost)
	case r.PeakWindowAdmitted > r.AdmittedCost:
		return fmt.Errorf("peak of a window %d exceeds admitted cost %d", r.PeakWindowAdmitted, r.AdmittedCost)
	case r.FalseAdmits > r.Admitted || r.FalseRejects > r.Rejected:
		return fmt.Errorf("false admits %d and rejects %d exceed the admitted %d and rejected %d", r.FalseAdmits,
			r.FalseRejects, r.Admitted, r.Rejected)
	}
	return nil
}

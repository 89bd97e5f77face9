package measure

import (
	"slices"
	"time"

	"ratelab/internal/limit"
)

// Reference is the exact limiter of a contract: it admits every request that the contract allows, and no other. It
// shares no code with the algorithms that are compared with it.
//
// For a window it is a sliding log for each key: it admits at most L in any half-open interval (t−W, t], and ignores
// the burst. For a bucket it is a bucket of B for each key, refilled continuously at L/W.
//
// It is implemented by a Meter's exact limiter, which already keeps what the Reference admits. That memory is as large
// as all the rest.
type Reference struct{ *Meter }

// NewReference starts with empty logs, or full buckets; the duration is as that of NewMeter.
func NewReference(p limit.Policy, duration time.Duration) Reference {
	return Reference{NewMeter(p, duration)}
}

// Admit decides q, whose AtUS is not below that of the request before, and whose key has the number; the Meter observes
// it. Amortised O(1).
func (r Reference) Admit(q limit.Request, number int64) bool {
	r.timeline.moveTo(q.AtUS, r.windows) // by what was there before q looks what there is now
	r.timeline.offered[r.timeline.current] += q.Cost
	exact, d := r.fits(q, number), limit.Decision{Verdict: limit.Rejected}
	if exact {
		d.Verdict = limit.Allowed
	}
	r.Observe(q, number, d)
	return exact
}

// Traffic is what was offered, in the buckets of the Series. It is complete once Tally has been called.
func (r Reference) Traffic() Traffic {
	n := r.timeline.complete(r.duration, r.windows)
	return Traffic{BucketUS: r.timeline.axis.widthUS, Offered: slices.Clone(r.timeline.offered[:n])}
}

// fits reports whether the exact limiter behind would admit q.
func (m *Meter) fits(q limit.Request, number int64) bool {
	if m.behind != nil {
		return q.Cost <= m.behind.at(number, q.AtUS).tokens
	}
	_, kept := m.windows.at(number, q.AtUS)
	return q.Cost <= m.policy.Requests-kept
}

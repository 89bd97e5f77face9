package measure

import (
	"slices"
	"time"

	"ratelab/internal/limit"
)

// Reference is the exact limiter of a contract. It admits each request that the contract allows, and no other. It
// shares no code with the algorithms that are compared with it.
//
// For a window contract it is a sliding log for each key: it admits at most L in any half-open interval (t−W, t], and
// ignores the burst. For a bucket contract it is a bucket of B for each key, refilled continuously at L/W.
//
// It is a Meter whose own exact limiter makes the decisions, because the Meter already keeps the admitted requests.
// Keeping them a second time would double the memory.
type Reference struct{ *Meter }

// NewReference returns a Reference whose logs are empty, or whose buckets are full. duration is as in NewMeter.
func NewReference(p limit.Policy, duration time.Duration) Reference {
	return Reference{NewMeter(p, duration)}
}

// Admit decides q and lets the Meter observe the decision. number is the number of q's key. q.AtUS must not decrease.
// Amortised O(1).
func (r Reference) Admit(q limit.Request, number int64) bool {
	r.timeline.moveTo(q.AtUS, r.windows) // before fits, which drops old sums that the timeline still needs
	d := limit.Decision{Verdict: limit.Rejected}
	if r.fits(q, number) {
		d.Verdict = limit.Allowed
	}
	r.Decided(q, number, d)
	return d.Allowed()
}

// Decided is Admit for a decision that was made elsewhere, by several limits.
func (r Reference) Decided(q limit.Request, number int64, d limit.Decision) {
	r.timeline.moveTo(q.AtUS, r.windows)
	r.timeline.offered[r.timeline.current] += q.Cost
	r.Observe(q, number, d)
}

// Traffic returns the offered cost in the buckets of the Series. It is complete once Tally has been called.
func (r Reference) Traffic() Traffic {
	n := r.timeline.complete(r.duration, r.windows)
	return Traffic{BucketUS: r.timeline.axis.widthUS, Offered: slices.Clone(r.timeline.offered[:n])}
}

// fits reports whether the exact limiter would admit q after its earlier admissions.
func (m *Meter) fits(q limit.Request, number int64) bool {
	if m.behind != nil {
		return q.Cost <= m.behind.at(number, q.AtUS).tokens
	}
	_, kept := m.windows.at(number, q.AtUS)
	return q.Cost <= m.policy.Requests-kept
}

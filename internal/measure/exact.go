package measure

import "ratelab/internal/limit"

// Reference is the exact limiter of a contract: it rejects nothing that would fit, and keeps the contract always. It
// shares no code with the algorithms that it judges.
//
// By the window it is a sliding log for each key, which records what it admits itself: in no half-open interval
// (t−W, t] more than L. The burst plays no part. By the bucket it is a bucket of B for each key that L/W refills
// continuously.
type Reference struct {
	limit   int64
	windows *windows
	buckets *buckets // nil: by the window
}

// NewReference starts with empty logs, or full buckets.
func NewReference(p limit.Policy) *Reference {
	if p.Contract == limit.ByBucket {
		return &Reference{buckets: newBuckets(p)}
	}
	return &Reference{limit: p.Requests, windows: newWindows(p.WindowUS())}
}

// Admit decides q, whose AtUS is not below that of the request before. Amortised O(1).
func (r *Reference) Admit(q limit.Request) bool {
	if r.buckets != nil {
		return r.buckets.take(q.Key, q.AtUS, q.Cost)
	}
	i := r.windows.slot(q.Key, q.AtUS)
	if q.Cost > r.limit-r.windows.sums[i] {
		return false
	}
	r.windows.add(i, q.AtUS, q.Cost, true)
	return true
}

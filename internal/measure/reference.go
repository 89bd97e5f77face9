package measure

import "ratelab/internal/limit"

// Reference is the exact limit: for each key a sliding log that records only what it admits itself, so that in
// no half-open interval (t−W, t] more than L is admitted, and nothing is rejected that would fit. It shares no
// code with the algorithms it judges. L is the policy's Requests; its burst plays no part.
type Reference struct {
	limit   int64
	windows *windows
}

// NewReference starts with empty logs.
func NewReference(p limit.Policy) *Reference {
	return &Reference{limit: p.Requests, windows: newWindows(p.WindowUS())}
}

// Admit decides q, whose AtUS is not below that of the request before. Amortised O(1).
func (r *Reference) Admit(q limit.Request) bool {
	i := r.windows.slot(q.Key, q.AtUS)
	if q.Cost > r.limit-r.windows.sums[i] {
		return false
	}
	r.windows.add(i, q.AtUS, q.Cost)
	return true
}

package replay

import (
	"context"
	"slices"
	"testing"

	"ratelab/internal/limit"
)

// admitting admits all requests that it receives, and records their times.
type admitting struct{ seen []int64 }

func (a *admitting) Decide(_ context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i, q := range requests {
		a.seen = append(a.seen, q.AtUS)
		decisions[i] = limit.Decision{Verdict: limit.Allowed}
	}
	return nil
}

// Outages are half-open intervals, and one may begin when another one ends. All requests of one instant have the same
// fate. All other requests arrive, in order.
func TestNobodyReachesAServerInAnOutage(t *testing.T) {
	for _, batch := range []int{1, 3, 100} {
		var inner admitting
		d := Unreachable(&inner,
			[]limit.Outage{{FromUS: 2, UntilUS: 4}, {FromUS: 4, UntilUS: 5}, {FromUS: 8, UntilUS: 9}})
		var requests []limit.Request
		for _, at := range []int64{0, 1, 2, 2, 3, 4, 5, 5, 7, 9} {
			requests = append(requests, limit.Request{AtUS: at, Cost: 1})
		}
		var lost []int64
		for part := range slices.Chunk(requests, batch) {
			decisions := make([]limit.Decision, len(part))
			if err := d.Decide(t.Context(), part, decisions); err != nil {
				t.Fatal(err)
			}
			for i, decision := range decisions {
				if decision.Verdict == limit.Unavailable {
					lost = append(lost, part[i].AtUS)
				}
			}
		}
		if !slices.Equal(lost, []int64{2, 2, 3, 4}) || !slices.Equal(inner.seen, []int64{0, 1, 5, 5, 7, 9}) {
			t.Errorf("in batches of %d: lost %v, seen %v", batch, lost, inner.seen)
		}
	}
}

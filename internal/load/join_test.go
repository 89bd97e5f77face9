package load

import (
	"slices"
	"testing"
	"time"
)

// stretchOf is a run of one worker that admitted and rejected calls of so many µs.
func stretchOf(elapsed, stall time.Duration, accepted, rejected []int64) *ClosedResult {
	r := &ClosedResult{Elapsed: elapsed}
	r.Workers = 1
	r.OfAccepted, r.OfRejected = NewDurations(), NewDurations()
	for _, us := range accepted {
		r.OfAccepted.Service.RecordValue(us)
	}
	for _, us := range rejected {
		r.OfRejected.Service.RecordValue(us)
	}
	r.Accepted, r.Rejected = int64(len(accepted)), int64(len(rejected))
	r.Sent = r.Accepted + r.Rejected
	r.Health = Health{Watched: elapsed, LongestStall: stall, CPU: elapsed / 2, Cores: 2, ClockStep: -stall}
	return r
}

// Two stretches together are what one run of both would have been; the parts stay as they were.
func TestStretchesAddUp(t *testing.T) {
	a := stretchOf(time.Second, 3*time.Millisecond, []int64{10, 20}, []int64{30})
	b := stretchOf(3*time.Second, time.Millisecond, []int64{40}, nil)
	var both ClosedResult
	both.Add(a)
	both.Add(b)
	if both.Sent != 4 || both.Accepted != 3 || both.Rejected != 1 || both.PerSecond != 1 ||
		both.Elapsed != 4*time.Second {
		t.Errorf("sent %d, accepted %d, rejected %d, %v/s in %v", both.Sent, both.Accepted, both.Rejected,
			both.PerSecond, both.Elapsed)
	}
	service := both.Overall().Service
	if got := []int64{service.TotalCount(), service.Min(), service.Max()}; !slices.Equal(got, []int64{4, 10, 40}) {
		t.Errorf("count, least and most of the service times are %v", got)
	}
	h := both.Health
	if h.LongestStall != 3*time.Millisecond || h.Watched != 4*time.Second || h.CPU != 2*time.Second ||
		h.ClockStep != -3*time.Millisecond {
		t.Errorf("health %+v", h)
	}
	if a.Sent != 3 || a.OfAccepted.Service.TotalCount() != 2 {
		t.Error("the first part was changed")
	}
	unknown := stretchOf(time.Second, 0, nil, nil)
	unknown.Health.CPU = -1
	both.Add(unknown)
	if both.Health.CPU != -1 {
		t.Error("the processor time of a part is not known, and that of the whole is")
	}
}

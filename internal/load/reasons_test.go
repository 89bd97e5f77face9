package load

import (
	"strings"
	"testing"
	"time"

	"ratelab/internal/result"
)

// sound is an open loop that nothing is wrong with: at every bound, and not beyond.
func sound() *OpenResult {
	r := &OpenResult{Workers: 8, Cores: 2, Span: 2 * time.Second, HandedSpan: 2*time.Second + 2*time.Millisecond}
	r.Offered, r.Sent, r.IntendedPerS, r.AchievedPerS = 2000, 2000, 1000, 999
	r.Outcomes = result.NewOutcomes()
	r.Outcomes.Admitted.Response.RecordValues(500, 1000)
	r.Outcomes.Rejected.Response.RecordValues(500, 1000)
	r.Outcomes.Admitted.Lag.RecordValues(1000, 2000)
	r.Health = Health{PoolWaits: 2, StallMax: 10 * time.Millisecond, GCPauseP999: time.Millisecond, CPUShare: 1.85,
		ClockDiverged: time.Millisecond}
	return r
}

func codes(all []result.Reason) string {
	var names []string
	for _, r := range all {
		names = append(names, r.Code)
	}
	return strings.Join(names, " ")
}

// Each reason is seen alone, one step beyond its bound.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		code, sentence string
		spoil          func(r *OpenResult)
	}{
		{"", "", func(*OpenResult) {}},
		{"nothing", "no request is due in the part of the scenario that was played; take another --from or a longer " +
			"--for", func(r *OpenResult) { r.Sent = 0 }},
		{"rate", "the generator sent 998.9 requests a second of 1000.0",
			func(r *OpenResult) { r.AchievedPerS = 998.9 }},
		// a short run
		{"", "", func(r *OpenResult) { r.AchievedPerS, r.HandedSpan = 990, r.Span+time.Millisecond }},
		{"lag", "the generator sent requests late, by 1.2ms at the 99th percentile",
			func(r *OpenResult) { r.Outcomes.Rejected.Lag.RecordValues(1200, 30) }},
		{"", "", func(r *OpenResult) { // a fifth of the response
			r.Outcomes.Rejected.Lag.RecordValues(1200, 30)
			r.Outcomes.Admitted.Response.RecordValues(6100, 40)
		}},
		{"stall", "the generator stood still for 10ms", func(r *OpenResult) { r.Health.StallMax++ }},
		{"gc", "the garbage collector stopped the generator for 1.001ms at the 99.9th percentile",
			func(r *OpenResult) { r.Health.GCPauseP999 += time.Microsecond }},
		{"cpu", "the generator used 95 % of its 2 processors", func(r *OpenResult) { r.Health.CPUShare = 1.9 }},
		{"", "", func(r *OpenResult) { r.Health.CPUShare = 0 }}, // nobody knows
		{"pool", "3 of 2000 requests found none of 8 connections free; use more connections or a lower rate",
			func(r *OpenResult) { r.Health.PoolWaits++ }},
		{"overflow", "1 durations were longer than 1m0s", func(r *OpenResult) { r.Health.Overflow = 1 }},
		{"clock", "the wall clock drifted 1.001ms from the monotonic clock",
			func(r *OpenResult) { r.Health.ClockDiverged += time.Microsecond }},
	} {
		r := sound()
		c.spoil(r)
		got := r.Reasons()
		if codes(got) != c.code || c.code != "" && got[0].Statement != c.sentence {
			t.Errorf("reasons %+v; want %q: %s", got, c.code, c.sentence)
		}
	}
}

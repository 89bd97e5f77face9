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
	r.Outcomes.Accepted.Response.RecordValues(500, 1000)
	r.Outcomes.Rejected.Response.RecordValues(500, 1000)
	r.Outcomes.Accepted.Lag.RecordValues(1000, 2000)
	r.Health = result.Health{PoolWaits: 2, StallMaxUS: 10_000, GCPauseP999US: 1000, GCPauseMaxUS: 1e6, CPUShare: 1.85,
		ClockDivergedUS: 1000}
	return r
}

func codes(all []Reason) string {
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
		{"nothing", "no request was sent: nothing is due in the part of the scenario that is played; another --from " +
			"or a longer --for plays more of it", func(r *OpenResult) { r.Sent = 0 }},
		{"rate", "the generator handed over 998.9 requests per second of 1000.0 intended, less than 99.9 %",
			func(r *OpenResult) { r.AchievedPerS = 998.9 }},
		// a short run
		{"", "", func(r *OpenResult) { r.AchievedPerS, r.HandedSpan = 990, r.Span+time.Millisecond }},
		{"lag", "the pacer's lag was 1.2ms at the 99th percentile, more than 1ms (1ms, or 20 % of the response's if " +
			"that is more)",
			func(r *OpenResult) { r.Outcomes.Rejected.Lag.RecordValues(1200, 30) }},
		{"", "", func(r *OpenResult) { // a fifth of the response
			r.Outcomes.Rejected.Lag.RecordValues(1200, 30)
			r.Outcomes.Accepted.Response.RecordValues(6100, 40)
		}},
		{"stall", "the generator stood still for 10.001ms, more than 10ms",
			func(r *OpenResult) { r.Health.StallMaxUS++ }},
		{"gc", "the garbage collector stopped the generator for 1.001ms at the 99.9th percentile, more than 1ms",
			func(r *OpenResult) { r.Health.GCPauseP999US++ }},
		{"cpu", "the generator took 95.0 % of the time of its 2 processors, 95 % or more",
			func(r *OpenResult) { r.Health.CPUShare = 1.9 }},
		{"", "", func(r *OpenResult) { r.Health.CPUShare = 0 }}, // nobody knows
		{"pool", "3 of 2000 requests found none of 8 connections free although no burst was the reason, more than " +
			"0.1 %; use more connections or a lower rate",
			func(r *OpenResult) { r.Health.PoolWaits++ }},
		{"overflow", "1 durations were longer than 1m0s, which is as far as the histograms go",
			func(r *OpenResult) { r.Health.Overflow = 1 }},
		{"clock", "the wall clock went 1.001ms apart from the monotonic clock, more than 1ms",
			func(r *OpenResult) { r.Health.ClockDivergedUS++ }},
	} {
		r := sound()
		c.spoil(r)
		got := r.Reasons()
		if codes(got) != c.code || c.code != "" && got[0].Sentence != c.sentence {
			t.Errorf("reasons %+v; want %q: %s", got, c.code, c.sentence)
		}
	}
}

// A closed loop saturates by design, and is invalid all the same where the machine stood still.
func TestReasonsOfAClosedLoop(t *testing.T) {
	r := &ClosedResult{Health: Health{Health: sound().Health}}
	r.Health.CPUShare = 2
	if got := r.Reasons(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	r.Health.Overflow = 1
	r.Health.StallMaxUS, r.Health.GCPauseP999US, r.Health.ClockDivergedUS = 1e6, 1e6, 1e6
	if got := codes(r.Reasons()); got != "stall gc clock overflow" {
		t.Errorf("reasons %q", got)
	}
}

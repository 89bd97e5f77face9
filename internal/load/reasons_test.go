package load

import (
	"strings"
	"testing"
	"time"

	"ratelab/internal/result"
)

// sound is an open loop that nothing is wrong with: at every bound, and not beyond.
func sound() *OpenResult {
	r := &OpenResult{Offered: 2000, PoolWaits: 2, IntendedPerSecond: 1000,
		AchievedPerSecond: 999,
		Span:              2 * time.Second, HandedSpan: 2*time.Second + 2*time.Millisecond}
	r.Sent = 2000
	r.Latency, r.Workers = result.NewOutcomes(), 8
	r.Latency.Accepted.Response.RecordValues(500, 1000)
	r.Latency.Rejected.Response.RecordValues(500, 1000)
	r.Latency.Accepted.Lag.RecordValues(1000, 2000)
	r.Health = Health{Watched: 2 * time.Second, LongestStall: MostStall, GCPauseP999: MostGCPause,
		GCPauseMax: time.Second,
		CPU:        3*time.Second + 700*time.Millisecond, Cores: 2, ClockStep: -time.Millisecond}
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
			func(r *OpenResult) { r.AchievedPerSecond = 998.9 }},
		// a short run
		{"", "", func(r *OpenResult) { r.AchievedPerSecond, r.HandedSpan = 990, r.Span+time.Millisecond }},
		{"lag", "the pacer's lag was 1.2ms at the 99th percentile, more than 1ms (1ms, or 20 % of the response's if " +
			"that is more)",
			func(r *OpenResult) { r.Latency.Rejected.Lag.RecordValues(1200, 30) }},
		{"", "", func(r *OpenResult) { // a fifth of the response
			r.Latency.Rejected.Lag.RecordValues(1200, 30)
			r.Latency.Accepted.Response.RecordValues(6100, 40)
		}},
		{"stall", "the generator stood still for 10.001ms, more than 10ms",
			func(r *OpenResult) { r.Health.LongestStall += time.Microsecond }},
		{"gc", "the garbage collector stopped the generator for 1.001ms at the 99.9th percentile, more than 1ms",
			func(r *OpenResult) { r.Health.GCPauseP999 += time.Microsecond }},
		{"cpu", "the generator took 95.0 % of the time of its 2 processors, 95 % or more",
			func(r *OpenResult) { r.Health.CPU = 3800 * time.Millisecond }},
		{"", "", func(r *OpenResult) { r.Health.CPU = -1 }}, // nobody knows
		{"pool", "3 of 2000 requests found none of 8 connections free although no burst was the reason, more than " +
			"0.1 %; use more connections or a lower rate",
			func(r *OpenResult) { r.PoolWaits++ }},
		{"overflow", "1 durations were longer than 1m0s, which is as far as the histograms go",
			func(r *OpenResult) { r.Overflow = 1 }},
		{"clock", "the wall clock went -1.001ms apart from the monotonic clock, more than 1ms",
			func(r *OpenResult) { r.Health.ClockStep -= time.Microsecond }},
		{"clock", "the wall clock went 2ms apart from the monotonic clock, more than 1ms",
			func(r *OpenResult) { r.Health.ClockStep = 2 * time.Millisecond }},
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
	r := &ClosedResult{Health: sound().Health}
	r.Health.CPU = 4 * time.Second
	if got := r.Reasons(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	r.Overflow = 1
	r.Health.LongestStall, r.Health.GCPauseP999, r.Health.ClockStep = time.Second, time.Second, time.Second
	if got := codes(r.Reasons()); got != "stall gc clock overflow" {
		t.Errorf("reasons %q", got)
	}
}

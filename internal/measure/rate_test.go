package measure

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// A fixed window of 4 per 10 ms, worked by hand: what it believes is in use, and what is.
func TestRateDifferenceWorkedByHand(t *testing.T) {
	m := NewMeter(limit.Policy{Requests: 4, Window: 10 * time.Millisecond}, 0)
	m.WatchRate()
	if m.rate.Mean() != nil {
		t.Error("there is a difference before anything was seen")
	}
	for _, e := range []struct {
		atUS, cost int64
		limit.Decision
	}{
		{0, 1, limit.Decision{Verdict: limit.Allowed, Remaining: 3}},     // nothing in use: left out
		{9000, 3, limit.Decision{Verdict: limit.Allowed, Remaining: 0}},  // 1, and 1 it is
		{9500, 1, limit.Decision{Verdict: limit.Rejected, Remaining: 0}}, // 4 of 4
		// a new window: 0, though 3 are in use
		{10000, 2, limit.Decision{Verdict: limit.Allowed, Remaining: 2}},
		{10000, 4, limit.Decision{Verdict: limit.Rejected, Remaining: 2}}, // 2, and it is 5
		// says nothing about what is in use
		{10001, 1, limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: -1}},
		{30000, 1, limit.Decision{Verdict: limit.Allowed, Remaining: 3}},              // nothing in use
		{35000, 1, limit.Decision{Verdict: limit.Allowed, Remaining: 1, DelayUS: 12}}, // 2, and it is 1
	} {
		m.Observe(limit.Request{AtUS: e.atUS, Key: "k", Cost: e.cost}, 0, e.Decision)
	}
	want := (0 + 0 + 1 + 3.0/5 + 1) / 5
	if got := m.rate.Mean(); got == nil || math.Abs(*got-want) > 1e-15 {
		t.Errorf("the difference is %v; want %v", got, want)
	}
}

// The exact reference believes what is.
func TestTheReferenceHasNoRateDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, duration, run := drawRun(t)
		p.Contract = limit.ByWindow
		r, m, keys := NewReference(p, 0), NewMeter(p, duration), NewKeySet()
		m.WatchRate()
		for _, o := range run {
			d := limit.Decision{Verdict: limit.Rejected}
			number := keys.Add(o.Key)
			if r.Admit(o.Request, number) {
				d.Verdict = limit.Allowed
			}
			used, _ := r.windows.at(number, o.AtUS)
			d.Remaining = p.Requests - used
			m.Observe(o.Request, number, d)
		}
		if got := m.rate.Mean(); got != nil && *got != 0 {
			t.Fatalf("a difference of %v", *got)
		}
	})
}

package run_test

import (
	. "ratelab/internal/run"

	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// A play begins where the scenario's clock is in its window.
func TestUntilPhase(t *testing.T) {
	start := time.Date(2024, time.January, 1, 0, 0, 1, 0, time.UTC) // a second into each window of 4 s
	s := &scenario.Scenario{Start: start, Limit: limit.Policy{Requests: 10, Window: 4 * time.Second}}
	c := NewPlan(s, Instead{})
	for after, want := range map[time.Duration]time.Duration{
		0: 0, time.Second: 3 * time.Second, 4 * time.Second: 0, 7500 * time.Millisecond: 500 * time.Millisecond,
		-time.Second: time.Second, time.Hour: 0, time.Microsecond: 4*time.Second - time.Microsecond,
	} {
		if got := c.UntilPhase(start.Add(after), 4*time.Second); got != want {
			t.Errorf("%v after the start: %v, want %v", after, got, want)
		}
	}
}

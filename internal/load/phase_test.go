package load

import (
	"testing"
	"time"
)

// A play begins where the scenario's clock is in its window.
func TestUntilPhase(t *testing.T) {
	start := time.Date(2024, time.January, 1, 0, 0, 1, 0, time.UTC) // a second into each window of 4 s
	for after, want := range map[time.Duration]time.Duration{
		0: 0, time.Second: 3 * time.Second, 4 * time.Second: 0, 7500 * time.Millisecond: 500 * time.Millisecond,
		-time.Second: time.Second, time.Hour: 0, time.Microsecond: 4*time.Second - time.Microsecond,
	} {
		if got := untilPhase(start, start.Add(after), 4*time.Second); got != want {
			t.Errorf("%v after the start: %v, want %v", after, got, want)
		}
	}
}

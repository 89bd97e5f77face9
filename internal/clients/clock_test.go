package clients

import (
	"testing"
	"time"
)

// Behind returns the lowest sum of the steps so far, and not the largest step.
func TestBehindIsTheWorstThatTheStepsAddUpTo(t *testing.T) {
	clock := ServerClock{{AtUS: 1, ByUS: 3_000_000}, {AtUS: 2, ByUS: -5_000_000}, {AtUS: 3, ByUS: -1_000_000},
		{AtUS: 4, ByUS: 9_000_000}}
	if got := clock.Behind(); got != 3*time.Second {
		t.Errorf("behind by %s; want 3s", got)
	}
	if got := clock[:1].Behind(); got != 0 {
		t.Errorf("a clock that is never behind is behind by %s", got)
	}
}

package bench

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every round has everybody once, and another order than the one before it.
func TestOrderChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, round := rapid.IntRange(1, 20).Draw(t, "n"), rapid.IntRange(1, 100).Draw(t, "round")
		got, next := order(n, round), order(n, round+1)
		sorted := slices.Sorted(slices.Values(got))
		for i := range n {
			if sorted[i] != i {
				t.Fatalf("%v is no order of %d", got, n)
			}
		}
		if n > 2 && slices.Equal(got, next) {
			t.Fatalf("rounds %d and %d both go %v", round, round+1, got)
		}
	})
}

func TestIntervalsAreRoundAndFew(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		10 * time.Millisecond:   10 * time.Millisecond,
		200 * time.Millisecond:  10 * time.Millisecond,
		201 * time.Millisecond:  20 * time.Millisecond,
		time.Second:             50 * time.Millisecond,
		5 * time.Second:         500 * time.Millisecond,
		time.Minute:             5 * time.Second,
		366 * 24 * time.Hour:    2_000_000 * time.Second,
		2100 * time.Millisecond: 200 * time.Millisecond,
	} {
		if got := intervalUS(d); got != want.Microseconds() {
			t.Errorf("intervals of %v are %d µs, want %v", d, got, want)
		}
	}
}

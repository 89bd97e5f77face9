package chart

import (
	"slices"
	"testing"
)

// An axis of lengths of time is marked with lengths that clocks have, as many as there is room for.
func TestLogTimeIsMarkedWithRoundLengths(t *testing.T) {
	for _, c := range []struct {
		low, high, length float64
		want              []string
	}{
		{1e3, 7e6, 220, []string{"1 ms", "10 ms", "100 ms", "1 s"}},
		{1e3, 7e6, 120, []string{"1 ms", "100 ms"}},
		{1e6, 2 * 3600e6, 300, []string{"1 s", "10 s", "1 min", "10 min", "1 h"}},
		{1.5e3, 9e3, 220, nil},
	} {
		var got []string
		axis := LogTime(c.low, c.high)
		for _, tick := range axis.Ticks(c.length) {
			got = append(got, tick.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %v to %v µs: %q; want %q", c.low, c.high, got, c.want)
		}
		if axis.Share(c.low) != 0 || axis.Share(c.high) != 1 || axis.Share(c.low/2) != 0 {
			t.Errorf("from %v to %v µs: does not span its side", c.low, c.high)
		}
	}
}

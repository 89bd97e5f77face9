package sheet

import "testing"

// An overshoot too small for two digits is still one, and what is not quite twice the limit is not twice.
func TestOvershootIsNeverRoundedAway(t *testing.T) {
	for value, want := range map[float64]string{1: "1.00", 1.0004: ">1.00", 1.98: "1.98", 0.9999: "<1.00", 1.999: "<2.00", 1.99: "1.99", 2: "2.00", 0: "0.00"} {
		if got := Times(value); got != want {
			t.Errorf("overshoot %v shows as %s, want %s", value, got, want)
		}
	}
}

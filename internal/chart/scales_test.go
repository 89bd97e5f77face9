package chart

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labels(ticks []Tick) string {
	var all []string
	for _, t := range ticks {
		all = append(all, t.Label)
	}
	return strings.Join(all, ", ")
}

// The axes as a reader sees them.
func TestScalesByHand(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		length float64
		want   string
	}{
		{Amounts(18.9, 60, ""), 400, "0, 5, 10, 15, 20"},
		{Amounts(0.02, 60, ""), 400, "0, 0.005, 0.01, 0.015, 0.02"},
		{Amounts(2, 60, ""), 600, "0, 0.5, 1, 1.5, 2"},
		{Amounts(0, 60, ""), 200, "0, 0.5, 1"},
		{Logarithmic(72, 168, 30, "", Short), 300, "50, 100, 200"},
		{Logarithmic(25, 90_000, 26, "", Span), 104, "100 µs, 1 ms, 10 ms"},
		{Logarithmic(3, 8e9, 26, "", Short), 80, "10, 10 k, 10 M"},
	} {
		if got := labels(c.axis.Ticks(c.length)); got != c.want {
			t.Errorf("ticks %s, want %s", got, c.want)
		}
	}
}

// Whatever is shown lies on the axis, greater values further along, and the ticks among them, not too many.
func TestScalesHoldTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-3, 9).Draw(t, "low"))
		high := low * math.Pow(10, rapid.Float64Range(0, 9).Draw(t, "decades"))
		length := rapid.Float64Range(80, 600).Draw(t, "length")
		for name, axis := range map[string]Axis{"amounts": Amounts(high, 30, ""),
			"logarithmic": Logarithmic(low, high, 30, "", Short)} {
			a, b := axis.Share(low), axis.Share(high)
			if a < 0 || b > 1 || b < a {
				t.Fatalf("%s: %v to %v stand at %v and %v", name, low, high, a, b)
			}
			ticks := axis.Ticks(length)
			if len(ticks) == 0 || len(ticks) > max(int(length/30), 2)+1 {
				t.Fatalf("%s: %d ticks on %v px", name, len(ticks), length)
			}
			for i, tick := range ticks {
				if at := axis.Share(tick.At); at < 0 || at > 1+1e-9 || (i > 0 && tick.At <= ticks[i-1].At) {
					t.Fatalf("%s: tick %v of %v stands at %v", name, tick, ticks, at)
				}
			}
		}
	})
}

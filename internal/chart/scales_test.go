package chart

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"

	"ratelab/internal/report"
)

func labels(ticks []plot.Tick) string {
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
		{Logarithmic(72, 168, 30, "", report.Short), 300, "50, 100, 200"},
		{Logarithmic(25, 90_000, 26, "", report.Natural), 104, "100 µs, 1 ms, 10 ms"},
		{Logarithmic(3, 8e9, 26, "", report.Short), 80, "10, 10 k, 10 M"},
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
			"logarithmic": Logarithmic(low, high, 30, "", report.Short)} {
			a, b := axis.Share(low), axis.Share(high)
			if a < 0 || b > 1 || b < a {
				t.Fatalf("%s: %v to %v stand at %v and %v", name, low, high, a, b)
			}
			ticks := axis.Ticks(length)
			if len(ticks) == 0 || len(ticks) > max(int(length/30), 2)+1 {
				t.Fatalf("%s: %d ticks on %v px", name, len(ticks), length)
			}
			for i, tick := range ticks {
				if at := axis.Share(tick.Value); at < 0 || at > 1+1e-9 || (i > 0 && tick.Value <= ticks[i-1].Value) {
					t.Fatalf("%s: tick %v of %v stands at %v", name, tick, ticks, at)
				}
			}
		}
	})
}

// The time axis of each span, as a reader sees it.
func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		origin, from, us float64
		limit            int
		want             string
	}{
		{0, 0, 6e6, 3, "0, 2 s, 4 s, 6 s"},
		{0, 0, 6e6, 12, "0, 0.5 s, 1 s, 1.5 s, 2 s, 2.5 s, 3 s, 3.5 s, 4 s, 4.5 s, 5 s, 5.5 s, 6 s"},
		{0, 0, 1000, 3, "0, 0.5 ms, 1 ms"},
		{0, 0, 1, 3, "0, 1 µs"},
		{0, 0, 90e6, 3, "0, 30 s, 60 s, 90 s"},
		{0, 0, 600e6, 3, "0, 5 min, 10 min"},
		{0, 0, 86400e6, 3, "0, 8 h, 16 h, 24 h"},
		{0, 0, 7 * 86400e6, 4, "0, 2 d, 4 d, 6 d"},
		{0, 0, 366 * 86400e6, 3, "0, 100 d, 200 d, 300 d"},
		{0, 59e6, 61e6, 4, "59 s, 59.5 s, 60 s, 60.5 s, 61 s"}, // a stretch that begins later
		{0, 3600.3e6, 3602.2e6, 4, "3600.5 s, 3601 s, 3601.5 s, 3602 s"},
		// A log from 2026-03-02 23:59:50 UTC on.
		{1772495990e6, 0, 30e6, 4, "23:59:50, 3 Mar, 00:00:10, 00:00:20"},
		{1772495990e6, 0, 5 * 86400e6, 5, "3 Mar, 4 Mar, 5 Mar, 6 Mar, 7 Mar"},
		{1772495990e6, 0, 5 * 3600e6, 5, "3 Mar, 01:00, 02:00, 03:00, 04:00"},
		{1772495990e6, 0, 300e6, 5, "3 Mar, 00:01, 00:02, 00:03, 00:04"},
	} {
		if got := labels(Axis{Min: c.from, Max: c.us}.timeTicks(c.origin, c.limit)); got != c.want {
			t.Errorf("%v to %v µs, at most %d: %s, want %s", c.from, c.us, c.limit, got, c.want)
		}
	}
}

// Whatever is counted, the ticks start at zero, are evenly apart by whole numbers, and are neither one nor many.
func TestCountTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Float64Range(1.05, 1e15).Draw(t, "top")
		limit := rapid.IntRange(3, 8).Draw(t, "limit")
		ticks := multiples(top, limit, 1)
		if len(ticks) < 2 || len(ticks) > limit+1 || ticks[0] != 0 || ticks[len(ticks)-1] > top {
			t.Fatalf("ticks %v for a top of %v and a limit of %d", ticks, top, limit)
		}
		for i := range ticks {
			if ticks[i] != float64(i)*ticks[1] || ticks[i] != float64(int64(ticks[i])) {
				t.Fatalf("ticks %v are uneven or not whole", ticks)
			}
		}
	})
}

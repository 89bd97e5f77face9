package chart

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want string
	}{{0, "0"}, {999, "999"}, {1000, "1,000"}, {-1234, "-1,234"}, {-123, "-123"}, {1234567, "1,234,567"}} {
		if got := Exact(c.n); got != c.want {
			t.Errorf("Exact(%d) = %s, want %s", c.n, got, c.want)
		}
	}
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0"}, {5, "5"}, {1000, "1,000"}, {9500, "9,500"}, {10_000, "10 k"}, {250_000, "250 k"}, {1.5e6,
		"1.5 M"}, {2e9, "2 G"}} {
		if got := Short(c.v); got != c.want {
			t.Errorf("Short(%v) = %s, want %s", c.v, got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		us         float64
		span, each string
	}{
		{1, "1 µs", "microsecond"}, {11_719, "11.7 ms", "11.7 ms"}, {1e6, "1 s", "second"}, {3e6, "3 s", "3 s"},
		{60e6, "1 min", "minute"}, {900e6, "15 min", "15 min"}, {3600e6, "1 h", "hour"}, {86400e6, "1 d", "day"},
	} {
		if got := Span(c.us); got != c.span {
			t.Errorf("Span(%v) = %s, want %s", c.us, got, c.span)
		}
		if got := Each(c.us); got != c.each {
			t.Errorf("Each(%v) = %s, want %s", c.us, got, c.each)
		}
	}
}

// The time axis of each span, as a reader sees it.
func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		from, us float64
		limit    int
		want     string
	}{
		{0, 6e6, 3, "0, 2 s, 4 s, 6 s"},
		{0, 6e6, 12, "0, 0.5 s, 1 s, 1.5 s, 2 s, 2.5 s, 3 s, 3.5 s, 4 s, 4.5 s, 5 s, 5.5 s, 6 s"},
		{0, 1000, 3, "0, 0.5 ms, 1 ms"},
		{0, 1, 3, "0, 1 µs"},
		{0, 90e6, 3, "0, 30 s, 60 s, 90 s"},
		{0, 600e6, 3, "0, 5 min, 10 min"},
		{0, 86400e6, 3, "0, 8 h, 16 h, 24 h"},
		{0, 7 * 86400e6, 4, "0, 2 d, 4 d, 6 d"},
		{0, 366 * 86400e6, 3, "0, 100 d, 200 d, 300 d"},
		{59e6, 61e6, 4, "59 s, 59.5 s, 60 s, 60.5 s, 61 s"}, // a stretch that begins later
		{3600.3e6, 3602.2e6, 4, "3600.5 s, 3601 s, 3601.5 s, 3602 s"},
	} {
		var labels []string
		for _, tick := range timeTicks(c.from, c.us, c.limit) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, ", "); got != c.want {
			t.Errorf("%s to %s, at most %d: %s, want %s", Span(c.from), Span(c.us), c.limit, got, c.want)
		}
	}
}

// Whatever is counted, the ticks start at zero, are evenly apart by whole numbers, and are neither one nor many.
func TestCountTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Float64Range(1.05, 1e15).Draw(t, "top")
		limit := rapid.IntRange(3, 8).Draw(t, "limit")
		ticks := countTicks(top, limit)
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

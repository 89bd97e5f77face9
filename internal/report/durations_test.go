package report

import "testing"

func TestShort(t *testing.T) {
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
		if got := Natural(c.us); got != c.span {
			t.Errorf("Natural(%v) = %s, want %s", c.us, got, c.span)
		}
		if got := Each(int64(c.us)); got != c.each {
			t.Errorf("Each(%v) = %s, want %s", c.us, got, c.each)
		}
	}
}

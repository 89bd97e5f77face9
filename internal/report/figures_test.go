package report

import "testing"

// What is not nothing is not called nothing, and what is not the whole is not called the whole.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1e-9: "<0.1 %", 0.00099: "<0.1 %", 0.001: "0.1 %", 0.0312: "3.1 %", 0.0999: "10 %", 0.6249: "62 %",
		0.9951: ">99 %", 0.99: "99 %", 1: "100 %", 1.0001: ">100 %", 1.234: "123 %",
	} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q; want %q", share, got, want)
		}
	}
}

func TestSignificantHasThreeDigits(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 4.302: "4.30", 12.345: "12.3", 999.4: "999", 999.6: "1000", 9.996: "10.0", 0.01234: "0.0123", 1: "1.00",
		48273: "48300", 66_374.96: "66400", 1e6: "1000000", 0.99999: "1.00", 99.96: "100", 9.994: "9.99",
		1234.5: "1230",
	} {
		if got := Significant(value); got != want {
			t.Errorf("%v shows as %s, want %s", value, got, want)
		}
	}
}

// One that is not quite a whole multiple is not called so.
func TestTimes(t *testing.T) {
	for x, want := range map[float64]string{1: "1.00", 1.0004: ">1.00", 1.999: "<2.00", 1.98: "1.98", 0.9999: "<1.00",
		2: "2.00"} {
		if got := Times(x); got != want {
			t.Errorf("%v: %q; want %q", x, got, want)
		}
	}
}

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

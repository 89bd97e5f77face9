package report

import "testing"

func TestBriefly(t *testing.T) {
	for us, want := range map[int64]string{
		0: "0s", 7: "7us", 999: "999us", 1000: "1ms", 12_345: "12.3ms", 999_999: "1s", 2_602_908: "2.6s",
		61_234_567: "1m1.2s", 3_600_000_000: "1h",
	} {
		if got := Briefly(us); got != want {
			t.Errorf("%d: %q, want %q", us, got, want)
		}
	}
}

// What is not nothing is not called nothing, and what is not the whole is not called the whole.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0%", 1e-9: "<0.0001%", 0.00003: "0.003%", 0.0000301: "0.003%", 0.000999: "0.1%", 0.0005: "0.05%",
		0.0312: "3.1%", 0.0999: "10.0%",
		0.6249: "62.5%", 0.9995: ">99.9%", 0.99949: "99.9%", 1: "100.0%", 1.0001: ">100.0%", 1.234: "123.4%",
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

func TestAbove(t *testing.T) {
	for ratio, want := range map[float64]string{1: "0.0%", 1.038: "3.8%", 1.999: "99.9%", 2: "a factor of 2.00",
		12.34: "a factor of 12.3"} {
		if got := Above(ratio); got != want {
			t.Errorf("%v: %q; want %q", ratio, got, want)
		}
	}
}

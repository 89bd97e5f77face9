package limit

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParsePolicy(t *testing.T) {
	for text, want := range map[string]Policy{
		"100/1m":       {Requests: 100, Window: time.Minute},
		"1000/3s":      {Requests: 1000, Window: 3 * time.Second},
		"10/s":         {Requests: 10, Window: time.Second},
		"5/d":          {Requests: 5, Window: 24 * time.Hour},
		"1/7d":         {Requests: 1, Window: 7 * 24 * time.Hour},
		"333/1m30s":    {Requests: 333, Window: 90 * time.Second},
		"2/1.5ms":      {Requests: 2, Window: 1500 * time.Microsecond},
		"2/1500us":     {Requests: 2, Window: 1500 * time.Microsecond},
		"1/366d":       {Requests: 1, Window: MaxWindow},
		"1/1ms":        {Requests: 1, Window: MinWindow},
		"1000000000/h": {Requests: MaxRequests, Window: time.Hour},
	} {
		if got, err := ParsePolicy(text); err != nil || got != want {
			t.Errorf("ParsePolicy(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"100":           `limit "100": want REQUESTS/WINDOW, such as 100/1m`,
		"":              `limit "": want REQUESTS/WINDOW, such as 100/1m`,
		"0/1m":          `limit "0/1m": requests 0: want 1 to 1000000000`,
		"-5/1m":         `limit "-5/1m": requests -5: want 1 to 1000000000`,
		"1000000001/1m": `limit "1000000001/1m": requests 1000000001: want 1 to 1000000000`,
		"1e3/1m":        `limit "1e3/1m": "1e3" is not a whole number of requests`,
		"NaN/1m":        `limit "NaN/1m": "NaN" is not a whole number of requests`,
		"24/in_flight": `limit "24/in_flight": in_flight works only alone, in a replay of a scenario or a log; ` +
			`here want a window, such as 24/1m`,
		"5/1parsec":       `limit "5/1parsec": duration "1parsec": want a number with a unit: us, ms, s, m, h or d`,
		"5/":              `limit "5/": duration "": want a number with a unit: us, ms, s, m, h or d`,
		"5/0":             `limit "5/0": duration "0": want a number with a unit: us, ms, s, m, h or d`,
		"5/0s":            `limit "5/0s": window 0s: want 1ms to 366d`,
		"5/-1s":           `limit "5/-1s": window -1s: want 1ms to 366d`,
		"5/999us":         `limit "5/999us": window 999µs: want 1ms to 366d`,
		"5/367d":          `limit "5/367d": window 8808h: want 1ms to 366d`,
		"5/1.0000005s":    `limit "5/1.0000005s": window 1.0000005s: want whole microseconds`,
		"5/999999999999d": `limit "5/999999999999d": duration "999999999999d": want a number with a unit: us, ms, s, m, h or d`,
	} {
		if got, err := ParsePolicy(text); err == nil || err.Error() != want {
			t.Errorf("ParsePolicy(%q) = %+v, %v; want the error %s", text, got, err, want)
		}
	}
}

// ParsePolicy reads the text of String, for each policy with the default burst.
func TestStringIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			Requests: rapid.Int64Range(1, MaxRequests).Draw(t, "requests"),
			Window: time.Duration(rapid.Int64Range(1000, MaxWindow.Microseconds()).Draw(t,
				"window")) * time.Microsecond,
		}
		got, err := ParsePolicy(p.String())
		if err != nil || got != p {
			t.Fatalf("ParsePolicy(%q) = %+v, %v; want %+v", p, got, err, p)
		}
	})
}

func TestStringShowsABurstOfItsOwn(t *testing.T) {
	p := Policy{Requests: 1000, Window: 3 * time.Second, Burst: 100}
	if got := p.String(); got != "1000/3s burst 100" {
		t.Errorf("got %q", got)
	}
	p.Burst = 1000
	if got := p.String(); got != "1000/3s" {
		t.Errorf("String shows the default burst: %q", got)
	}
}

// Interval returns W/L as a reduced fraction.
func TestIntervalIsExactAndReduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			Requests: rapid.Int64Range(1, MaxRequests).Draw(t, "requests"),
			Window: time.Duration(rapid.Int64Range(1000, MaxWindow.Microseconds()).Draw(t,
				"window")) * time.Microsecond,
		}
		us, tokens := p.Interval()
		scale := p.Requests / tokens
		if tokens*scale != p.Requests || us*scale != p.WindowUS() || Divisor(us, tokens) != 1 {
			t.Fatalf("%s: interval %d/%d", p, us, tokens)
		}
	})
}

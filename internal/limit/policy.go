package limit

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/message"
)

// Policy is a limit: Requests per Window, with at most Burst requests at once.
type Policy struct {
	Requests int64         // L, at least 1
	Window   time.Duration // W, whole microseconds, at least 1 ms
	Burst    int64         // B, the capacity; 0 means Requests
	Contract Contract      // the meaning of the limit
}

// The smallest and largest accepted limits. A longer window or a larger count is probably a mistake. The scripts could
// not count it exactly, because doubles are exact only to 2^53.
const (
	MinWindow   = time.Millisecond
	MaxWindow   = 366 * 24 * time.Hour
	MaxRequests = 1_000_000_000
)

// WindowUS returns the window in microseconds.
func (p Policy) WindowUS() int64 { return p.Window.Microseconds() }

// Capacity returns the burst, or the requests of the window if no burst is set.
func (p Policy) Capacity() int64 {
	if p.Burst == 0 {
		return p.Requests
	}
	return p.Burst
}

// Interval returns the exact time per token, T = W/L, as the reduced fraction us/tokens.
func (p Policy) Interval() (us, tokens int64) {
	g := Divisor(p.WindowUS(), p.Requests)
	return p.WindowUS() / g, p.Requests / g
}

// Validate returns an error for the first invalid value of p.
func (p Policy) Validate() error {
	switch {
	case p.Requests < 1 || p.Requests > MaxRequests:
		return fmt.Errorf("requests %d: want 1 to %d", p.Requests, MaxRequests)
	case p.Contract == ByFlight && p.Window == 0 && p.Burst == 0:
	case p.Window < MinWindow || p.Window > MaxWindow:
		return fmt.Errorf("window %s: want 1ms to 366d", FormatDuration(p.Window))
	case p.Window%time.Microsecond != 0:
		return fmt.Errorf("window %v: want whole microseconds", p.Window)
	case p.Burst < 0 || p.Burst > MaxRequests:
		return fmt.Errorf("burst %d: want 1 to %d", p.Burst, MaxRequests)
	}
	return nil
}

// String formats p so that it begins as ParsePolicy reads it: 1000/3s, 1000/3s burst 100, 1000/3s by bucket.
func (p Policy) String() string {
	if p.Contract == ByFlight {
		return fmt.Sprintf("%d/%s", p.Requests, inFlight)
	}
	s := fmt.Sprintf("%d/%s", p.Requests, FormatDuration(p.Window))
	if p.Burst != 0 && p.Burst != p.Requests {
		s += fmt.Sprintf(" burst %d", p.Burst)
	}
	if p.Contract != ByWindow {
		s += " by " + p.Contract.String()
	}
	return s
}

// ParseFlight reads a limit on requests in flight, such as "24/in_flight". other reports whether text is no such limit.
func ParseFlight(text string) (p Policy, other bool, err error) {
	count, found := strings.CutSuffix(text, "/"+inFlight)
	if !found {
		return p, true, nil
	}
	p = Policy{Contract: ByFlight}
	if p.Requests, err = strconv.ParseInt(count, 10, 64); err != nil {
		return p, false, fmt.Errorf("limit %s: %s is not a whole number of requests", message.Quote(text),
			message.Quote(count))
	}
	if err := p.Validate(); err != nil {
		return p, false, fmt.Errorf("limit %s: %w", message.Quote(text), err)
	}
	return p, false, nil
}

// ParsePolicy reads "100/1m", "1000/3s" or "10/s".
func ParsePolicy(text string) (Policy, error) {
	count, per, found := strings.Cut(text, "/")
	if !found {
		return Policy{}, fmt.Errorf("limit %s: want REQUESTS/WINDOW, such as 100/1m", message.Quote(text))
	}
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return Policy{}, fmt.Errorf("limit %s: %s is not a whole number of requests", message.Quote(text),
			message.Quote(count))
	}
	if per == inFlight {
		return Policy{}, fmt.Errorf("limit %s: in_flight works only alone, in a replay of a scenario or a log; here "+
			"want a window, such as %d/1m", message.Quote(text), n)
	}
	written := per
	if per != "" && (per[0] < '0' || per[0] > '9') && per[0] != '-' && per[0] != '+' && per[0] != '.' {
		per = "1" + per
	}
	window, err := ParseDuration(per)
	if err != nil && per != written {
		return Policy{}, fmt.Errorf("limit %s: %s is not a window; want one such as 1s, 1m or 24h", message.Quote(text),
			message.Quote(written))
	}
	if err != nil {
		return Policy{}, fmt.Errorf("limit %s: %w", message.Quote(text), err)
	}
	p := Policy{Requests: n, Window: window}
	if err := p.Validate(); err != nil {
		return Policy{}, fmt.Errorf("limit %s: %w", message.Quote(text), err)
	}
	return p, nil
}

// ParseDuration reads a Go duration or days: 250us, 10ms, 3s, 1m30s, 24h, 7d.
func ParseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 64)
		if err != nil || n < -106751 || n > 106751 {
			return 0, fmt.Errorf("duration %s: want a number with a unit: us, ms, s, m, h or d", message.Quote(text))
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || text == "0" {
		return 0, fmt.Errorf("duration %s: want a number with a unit: us, ms, s, m, h or d", message.Quote(text))
	}
	return d, nil
}

// FormatDuration formats d for people: 3s, 1m, 24h, 1m30s. It omits the zero units at the end, such as 0s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MaxExact is 2^53. Up to here, a Lua number (an IEEE 754 double) represents each integer exactly.
const MaxExact int64 = 1 << 53

// Quotient returns ⌊a·b/c⌋, but at most `most`. rest reports whether the division has a remainder. No argument may be
// negative.
func Quotient(a, b, c, most int64) (q int64, rest bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high >= uint64(c) {
		return most, true
	}
	whole, left := bits.Div64(high, low, uint64(c))
	return int64(min(whole, uint64(most))), left > 0
}

// Divisor returns the greatest common divisor. No argument may be negative.
func Divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

package traffic

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Rate is Count arrivals every Per. It is a fraction, not a float, so that evenly spaced arrivals stay exact to the
// microsecond over any duration.
type Rate struct {
	Count int64         // at least 0
	Per   time.Duration // whole microseconds, at least 1 µs
}

// ParseRate reads "400/s", "100/1m" or "1/250ms".
func ParseRate(text string) (Rate, error) {
	const most = 1_000_000_000
	bad := func(what string) (Rate, error) {
		return Rate{}, fmt.Errorf("rate %s: %s; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms", message.Quote(text),
			what)
	}
	count, per, found := strings.Cut(text, "/")
	if !found {
		return bad("it has no unit")
	}
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return bad(fmt.Sprintf("%s is not a whole number", message.Quote(count)))
	}
	if n < 0 || n > most {
		return bad(fmt.Sprintf("the count is not within 0 to %d", most))
	}
	number := per
	if per != "" && (per[0] < '0' || per[0] > '9') { // a unit without a number means one of it
		number = "1" + per
	}
	d, err := limit.ParseDuration(number)
	if err != nil {
		return bad(fmt.Sprintf("%s is not a unit of time", message.Quote(per)))
	}
	if d < time.Microsecond || d%time.Microsecond != 0 || d > limit.MaxWindow {
		return bad(fmt.Sprintf("%s is not a whole number of microseconds up to %s", message.Quote(per),
			limit.FormatDuration(limit.MaxWindow)))
	}
	return Rate{Count: n, Per: d}, nil
}

// String returns r in the format of ParseRate.
func (r Rate) String() string {
	per := limit.FormatDuration(r.Per)
	if unit, ok := strings.CutPrefix(per, "1"); ok && unit[0] >= 'a' {
		per = unit
	}
	return fmt.Sprintf("%d/%s", r.Count, per)
}

// perUS returns the rate in arrivals per microsecond.
func (r Rate) perUS() float64 { return float64(r.Count) / float64(r.Per.Microseconds()) }

// evenly yields from + ⌊i·per/count⌋ for i = 0, 1, … in microseconds, as long as the time is before to. It keeps the
// fraction as an integer, so the times do not drift. It reports whether yield wants more.
func (r Rate) evenly(from, to time.Duration, yield func(us int64) bool) bool {
	if r.Count == 0 {
		return true
	}
	step, rest := r.Per.Microseconds()/r.Count, r.Per.Microseconds()%r.Count
	for at, carry := from.Microseconds(), int64(0); at < to.Microseconds(); at += step {
		if !yield(at) {
			return false
		}
		if carry += rest; carry >= r.Count {
			carry -= r.Count
			at++
		}
	}
	return true
}

// Many stands for all larger numbers of arrivals. No phase may have that many. A million times Many still fits into an
// int64.
const Many = 1 << 40

// within returns how many arrivals evenly yields in a duration of d: ⌈d·count/per⌉, or Many if that is less.
func (r Rate) within(d time.Duration) int64 {
	n, rest := limit.Quotient(d.Microseconds(), r.Count, r.Per.Microseconds(), Many)
	if rest {
		n = min(n+1, Many)
	}
	return n
}

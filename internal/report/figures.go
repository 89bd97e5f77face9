package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Integer formats n in digits.
func Integer(n int64) string { return strconv.FormatInt(n, 10) }

// Float formats f as the shortest decimal that reads back as f. It never has an exponent, because not every spreadsheet
// reads those.
func Float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Significant formats f with three significant digits and without an exponent: 4.30, 12.3, 48300. Measured times are
// not repeatable to more digits.
func Significant(f float64) string {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return Float(f)
	}
	// 9.996 rounds to 10.0, which needs one decimal less
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 2, 64), 64)
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(rounded))))
	return strconv.FormatFloat(rounded, 'f', max(0, decimals), 64)
}

// Times formats a multiple of the limit with two decimals. A value near a whole number is marked: 1.0004 is >1.00 and
// 1.999 is <2.00.
func Times(x float64) string {
	text := fmt.Sprintf("%.2f", x)
	switch whole := math.Round(x); {
	case !strings.HasSuffix(text, ".00") || x == whole:
		return text
	case x < whole:
		return "<" + text
	}
	return ">" + text
}

// Span formats a time of whole microseconds in ASCII: 1h30m, 2.5s, 40us.
func Span(us int64) string { return ASCII(limit.FormatDuration(time.Duration(us) * time.Microsecond)) }

// ASCII replaces µ, the only other character in this program's own texts.
func ASCII(text string) string { return strings.ReplaceAll(text, "µ", "u") }

// Briefly formats a time of whole microseconds in ASCII, rounded to three digits, or to the second if that is more
// precise.
func Briefly(us int64) string {
	if us == 0 {
		return "0s"
	}
	d, unit := time.Duration(us)*time.Microsecond, time.Microsecond
	for d/unit >= 1000 && unit < time.Second {
		unit *= 10
	}
	return ASCII(limit.FormatDuration(d.Round(unit)))
}

// Percent formats a share with two digits: 0 %, <0.1 %, 3.3 %, 13 %, 100 %. Slightly less than the whole is >99 %, and
// slightly more is >100 %.
func Percent(share float64) string {
	percent := 100 * share
	text := fmt.Sprintf("%.0f %%", percent)
	switch {
	case percent == 0:
		return "0 %"
	case percent < 0.1:
		return "<0.1 %"
	case percent < 9.95:
		return fmt.Sprintf("%.1f %%", percent)
	case text == "100 %" && share < 1:
		return ">99 %"
	case text == "100 %" && share > 1:
		return ">100 %"
	}
	return text
}

// timeUnit is a unit of time, with its name after a number and its name alone.
type timeUnit struct {
	us         float64
	name, long string
}

var timeUnits = []timeUnit{{1, "µs", "microsecond"}, {1e3, "ms", "millisecond"}, {1e6, "s", "second"},
	{60e6, "min", "minute"}, {3600e6, "h", "hour"}, {86400e6, "d", "day"}}

// unitOf returns the largest unit that us contains at least once.
func unitOf(us float64) timeUnit {
	found := timeUnits[0]
	for _, u := range timeUnits {
		if us >= u.us {
			found = u
		}
	}
	return found
}

// NaturalUnit returns the length in µs of the largest unit of time that us contains at least once.
func NaturalUnit(us float64) float64 { return unitOf(us).us }

// Natural formats a duration with three digits in its natural unit: 11.7 ms, 0.5 s, 15 min, 3 s.
func Natural(us float64) string {
	unit := unitOf(us)
	return strconv.FormatFloat(us/unit.us, 'g', 3, 64) + " " + unit.name
}

// Each formats a duration for use after "per" or "in any": second, 3 s, hour.
func Each(us int64) string {
	if unit := unitOf(float64(us)); float64(us) == unit.us {
		return unit.long
	}
	return Natural(float64(us))
}

// Short formats a count for little room: up to 9,999 in full, from ten thousand on with an SI prefix, such as 10 k.
func Short(v float64) string {
	if v < 10_000 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if v < 10_000 {
		return message.Grouped(int64(v))
	}
	prefixes := []string{"", " k", " M", " G", " T", " P"}
	i := min(int(math.Log10(v)/3+1e-9), len(prefixes)-1)
	return strconv.FormatFloat(v/math.Pow(1000, float64(i)), 'g', 4, 64) + prefixes[i]
}

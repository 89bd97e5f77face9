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

// Integer is n in digits.
func Integer(n int64) string { return strconv.FormatInt(n, 10) }

// Float is the shortest decimal that reads back as f, never with an exponent, which not every spreadsheet takes for a
// number.
func Float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Significant is f with three significant digits, because what is timed is not repeatable to more, and never an
// exponent: 4.30, 12.3, 48300.
func Significant(f float64) string {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return Float(f)
	}
	// 9.996 is 10.0, which needs one decimal less
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 2, 64), 64)
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(rounded))))
	return strconv.FormatFloat(rounded, 'f', max(0, decimals), 64)
}

// Times is a multiple of the limit with two digits. One that is not quite a whole one is not called so: 1.0004 is >1.00
// and 1.999 is <2.00.
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

// Span is a time of whole microseconds, with the letters of every keyboard: 1h30m, 2.5s, 40us.
func Span(us int64) string { return ASCII(limit.FormatDuration(time.Duration(us) * time.Microsecond)) }

// ASCII is text of ours with the letters of every keyboard.
func ASCII(text string) string { return strings.ReplaceAll(text, "µ", "u") }

// Briefly is a time of whole microseconds to three digits, or to the second where that is more, with the letters of
// every keyboard: 83h3m20s would be taken for all that is known of 83h1m.
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

// Percent is a share with two digits: 0 %, <0.1 %, 3.3 %, 13 %, 100 %. Almost the whole is >99 %, and a little more
// than the whole is >100 %.
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

// timeUnit is a unit of time: its name beside a number, and alone.
type timeUnit struct {
	us         float64
	name, long string
}

var timeUnits = []timeUnit{{1, "µs", "microsecond"}, {1e3, "ms", "millisecond"}, {1e6, "s", "second"},
	{60e6, "min", "minute"}, {3600e6, "h", "hour"}, {86400e6, "d", "day"}}

// unitOf is the largest unit of which us has at least one.
func unitOf(us float64) timeUnit {
	found := timeUnits[0]
	for _, u := range timeUnits {
		if us >= u.us {
			found = u
		}
	}
	return found
}

// NaturalUnit is the length, in µs, of the largest unit of time of which us has at least one.
func NaturalUnit(us float64) float64 { return unitOf(us).us }

// Natural writes a duration with three digits in its natural unit: 11.7 ms, 0.5 s, 15 min, 3 s.
func Natural(us float64) string {
	unit := unitOf(us)
	return strconv.FormatFloat(us/unit.us, 'g', 3, 64) + " " + unit.name
}

// Each writes a duration after per or in the last: second, 3 s, hour.
func Each(us int64) string {
	if unit := unitOf(float64(us)); float64(us) == unit.us {
		return unit.long
	}
	return Natural(float64(us))
}

// Short writes a count for which there is little room: 1,000 in full, from ten thousand on with an SI prefix, 10 k.
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

package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
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

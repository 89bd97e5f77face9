package benchresult

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"ratelab/internal/limit"
)

// absent stands where there is no figure.
const absent = "-"

// figure has three significant digits, because what is timed is not repeatable to more, and never an exponent.
func figure(f float64) string {
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	scale := math.Pow(10, float64(decimals(f)))
	rounded := math.Round(f*scale) / scale // 9.996 is 10.0, which needs one decimal less
	return strconv.FormatFloat(rounded, 'f', max(0, decimals(rounded)), 64)
}

// decimals is how many digits after the point make three significant ones; negative where there are more before it.
func decimals(f float64) int { return 2 - int(math.Floor(math.Log10(math.Abs(f)))) }

// optional is the figure, or the mark of none.
func optional(f *float64) string {
	if f == nil {
		return absent
	}
	return figure(*f)
}

// percentile is of h in µs, or the mark of none. The clock and the histogram know no parts of a microsecond.
func percentile(h *Histogram, p float64) string {
	if h.count() == 0 {
		return absent
	}
	us := h.ValueAtPercentile(p)
	if us < 1000 {
		return integer(us)
	}
	return figure(float64(us))
}

// counted is an average of what can be counted: 11 rather than 11.0.
func counted(f *float64) string {
	if f == nil {
		return absent
	}
	return strconv.FormatFloat(*f, 'g', 3, 64)
}

// percent is a ratio such as 1.038 as 3.8%, and from 2 on as a factor.
func percent(ratio float64) string {
	if ratio >= 2 {
		return "a factor of " + figure(ratio)
	}
	return fmt.Sprintf("%.1f%%", 100*(ratio-1))
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

func microseconds(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

func duration(us int64) string { return limit.FormatDuration(microseconds(us)) }

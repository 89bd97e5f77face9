package report

import (
	"strconv"

	"ratelab/internal/result"
)

// optional is the figure, or the mark of none.
func optional(f *float64) string {
	if f == nil {
		return Absent
	}
	return Significant(*f)
}

// percentile is of h in µs, or the mark of none. The clock and the histogram know no parts of a microsecond.
func percentile(h *result.Histogram, p float64) string {
	if h.Count() == 0 {
		return Absent
	}
	us := h.ValueAtPercentile(p)
	if us < 1000 {
		return Integer(us)
	}
	return Significant(float64(us))
}

// countedFigure is an average of what can be counted: 11 rather than 11.0.
func countedFigure(f *float64) string {
	if f == nil {
		return Absent
	}
	return strconv.FormatFloat(*f, 'g', 3, 64)
}

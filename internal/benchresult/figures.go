package benchresult

import (
	"strconv"

	"ratelab/internal/sheet"
)

// optional is the figure, or the mark of none.
func optional(f *float64) string {
	if f == nil {
		return sheet.Absent
	}
	return sheet.Significant(*f)
}

// percentile is of h in µs, or the mark of none. The clock and the histogram know no parts of a microsecond.
func percentile(h *Histogram, p float64) string {
	if h.Count() == 0 {
		return sheet.Absent
	}
	us := h.ValueAtPercentile(p)
	if us < 1000 {
		return sheet.Integer(us)
	}
	return sheet.Significant(float64(us))
}

// counted is an average of what can be counted: 11 rather than 11.0.
func counted(f *float64) string {
	if f == nil {
		return sheet.Absent
	}
	return strconv.FormatFloat(*f, 'g', 3, 64)
}

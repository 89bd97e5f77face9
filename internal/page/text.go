package page

import "ratelab/internal/report"

// span writes a duration in µs: 1.5 s.
func span(us int64) string {
	if us == 0 {
		return "0"
	}
	return report.Natural(float64(us))
}

package page

import (
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/report"
)

// timesInWords is report.Times in a sentence.
func timesInWords(overshoot float64) string {
	return strings.NewReplacer("<", "just under ", ">", "just over ").Replace(report.Times(overshoot))
}

// count writes a number and its noun: 1 request, 1,000 requests.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return message.Grouped(n) + " " + noun + "s"
}

// span writes a duration in µs: 1.5 s.
func span(us int64) string {
	if us == 0 {
		return "0"
	}
	return report.Natural(float64(us))
}

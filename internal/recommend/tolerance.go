package recommend

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ratelab/internal/sheet"
)

// Tolerance is what a candidate may do wrong, and cost. Shares are of the requests offered; a nil bound is none.
type Tolerance struct {
	MaxOvershoot    float64  `json:"max_overshoot"`
	MaxFalseRejects float64  `json:"max_false_rejects" jsonschema:"maximum=1"`
	MaxFalseAdmits  *float64 `json:"max_false_admits,omitempty" jsonschema:"maximum=1"`
	MaxCalls        *float64 `json:"max_redis_calls_per_decision,omitempty"`
	MaxServerUS     *float64 `json:"max_server_us_per_decision,omitempty"`
}

// DefaultTolerance allows a tenth above the limit in the worst window, and one request in a hundred to be rejected that
// the exact limit would have admitted.
//
// Note: an overshoot of exactly 1 would be the plainer default. It admits only what keeps a log or is stricter, and the
// usual reason to ask at all is to pay less than a log.
func DefaultTolerance() Tolerance { return Tolerance{MaxOvershoot: 1.1, MaxFalseRejects: 0.01} }

// The measures that can exclude, by their names in JSON.
const (
	measureOvershoot    = "overshoot"
	measureFalseRejects = "false_rejects"
	measureFalseAdmits  = "false_admits"
	measureCalls        = "redis_calls_per_decision"
	measureServerUS     = "server_us_per_decision"
)

// String is the tolerance in words.
func (t Tolerance) String() string {
	parts := []string{
		fmt.Sprintf("at most %s x the limit in any window", decimal(t.MaxOvershoot)),
		fmt.Sprintf("at most %s of the requests rejected wrongly", given(t.MaxFalseRejects)),
	}
	if t.MaxFalseAdmits != nil {
		parts = append(parts, fmt.Sprintf("at most %s admitted wrongly", given(*t.MaxFalseAdmits)))
	}
	if t.MaxCalls != nil {
		parts = append(parts, fmt.Sprintf("at most %s Redis calls a decision", decimal(*t.MaxCalls)))
	}
	if t.MaxServerUS != nil {
		parts = append(parts, fmt.Sprintf("at most %s us of the server a decision", decimal(*t.MaxServerUS)))
	}
	return strings.Join(parts, ", ")
}

// flagFor is the command line's way to allow as much as got of a measure: rounded up, so that it admits.
func flagFor(measure string, got float64) string {
	switch measure {
	case measureOvershoot:
		return "--max-overshoot " + decimal(roundUp(got, 100))
	case measureFalseRejects:
		return "--max-false-rejects " + percentUp(got)
	case measureFalseAdmits:
		return "--max-false-admits " + percentUp(got)
	case measureCalls:
		return "--max-calls " + decimal(roundUp(got, 100))
	}
	return "--max-cost " + decimal(roundUp(got, 1)) + "us"
}

// roundUp is the least multiple of 1/parts that is not below v.
func roundUp(v, parts float64) float64 {
	n := math.Ceil(v * parts)
	if (n-1)/parts >= v { // the product was rounded upwards
		n--
	}
	if n/parts < v {
		n++
	}
	return n / parts
}

// given is a share that somebody chose, as a percentage without any digit that they did not mean.
func given(share float64) string { return trimmed(100*share, 6) + "%" }

// apart are two shares as percentages, with as many digits as it takes to tell them apart where they are not the same.
func apart(a, b float64) (string, string) {
	first, second := sheet.Percent(a), sheet.Percent(b)
	for digits := 2; first == second && a != b && digits < 12; digits++ {
		first, second = strconv.FormatFloat(100*a, 'f', digits, 64)+"%", strconv.FormatFloat(100*b, 'f', digits, 64)+"%"
	}
	return first, second
}

// percentUp is a share in hundredths of a percent, rounded up.
func percentUp(share float64) string {
	return decimal(math.Round(roundUp(share, 10_000)*10_000)/100) + "%"
}

// decimal is the shortest decimal that reads back as v, never with an exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// trimmed is v with at most so many digits behind the point, and no zeros at its end.
func trimmed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// beyond is got with as many digits as it takes to see that it is more than most: 1.10 is not more than 1.1, 1.1004 is.
func beyond(got, most, scale float64, digits int) string {
	bound, _ := strconv.ParseFloat(decimal(most*scale), 64)
	for ; digits < 12; digits++ {
		text := strconv.FormatFloat(got*scale, 'f', digits, 64)
		if shown, err := strconv.ParseFloat(text, 64); err == nil && shown > bound {
			return text
		}
	}
	return decimal(got * scale)
}

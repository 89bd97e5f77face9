package scenario

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

// The spellings that are accepted, of the many that YAML knows for a number.
var (
	numberText   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	signedText   = regexp.MustCompile(`^-?(([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+|[0-9]+d)$`)
	durationText = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+$|^[0-9]+d$`)
)

// readNumber reads a finite number within min to max.
func readNumber(v strictyaml.Value, min, max float64) (float64, bool) {
	want := fmt.Sprintf("want a number from %s to %s", formatNumber(min), formatNumber(max))
	if !v.IsNumber() || v.IsQuoted() || !numberText.MatchString(v.Node.Value) {
		v.Bad("%s is not a finite decimal number; %s", v.Shown(), want)
		return 0, false
	}
	x, err := strconv.ParseFloat(v.Node.Value, 64)
	if err != nil || math.IsInf(x, 0) || x < min || x > max {
		v.Bad("%s is out of range; %s", message.Bare(v.Node.Value), want)
		return 0, false
	}
	return x, true
}

// readDuration reads whole microseconds within min to max, with a sign where min is negative.
func readDuration(v strictyaml.Value, min, max time.Duration) (time.Duration, bool) {
	spelling, first := durationText, limit.FormatDuration(min)
	if min < 0 {
		spelling, first = signedText, "-"+days(-min)
	}
	want := fmt.Sprintf("want a duration from %s to %s, such as 250ms, 3s, 1m30s or 7d", first, days(max))
	if v.IsNumber() {
		v.Bad("%s has no unit; %s", v.Shown(), want)
		return 0, false
	}
	if !v.IsText() || !spelling.MatchString(v.Node.Value) {
		v.Bad("%s is not a duration; %s", v.Shown(), want)
		return 0, false
	}
	d, err := limit.ParseDuration(v.Node.Value)
	if err != nil || d < min || d > max {
		v.Bad("%s is out of range; %s", v.Shown(), want)
		return 0, false
	}
	if d%time.Microsecond != 0 {
		v.Bad("%s is not a whole number of microseconds; %s", v.Shown(), want)
		return 0, false
	}
	return d, true
}

// days writes whole days as such.
func days(d time.Duration) string {
	if day := 24 * time.Hour; d >= 2*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return limit.FormatDuration(d)
}

// readRate reads COUNT/UNIT with a count of at least min.
func readRate(v strictyaml.Value, min int64) (traffic.Rate, bool) {
	const want = "want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms"
	if v.IsNumber() {
		v.Bad("%s has no unit; %s", v.Shown(), want)
		return traffic.Rate{}, false
	}
	if !v.IsText() {
		v.Bad("%s is not a rate; %s", v.Shown(), want)
		return traffic.Rate{}, false
	}
	r, err := traffic.ParseRate(v.Node.Value)
	if err != nil {
		v.Bad("%v", err)
		return traffic.Rate{}, false
	}
	if r.Count < min {
		v.Bad("%s is no rate at all; want at least %d, or pause: true for nobody", v.Shown(), min)
		return traffic.Rate{}, false
	}
	return r, true
}

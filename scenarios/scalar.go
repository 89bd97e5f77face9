package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// The spellings that are accepted. YAML alone would also take 0x10, 0o17, 1_000 and 010, each of which somebody
// reads differently.
var (
	integerText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	numberText   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	durationText = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+$|^[0-9]+d$`)
)

// integer reads a whole number within min to max.
func (v value) integer(min, max int64) (int64, bool) {
	want := fmt.Sprintf("want a whole number from %d to %d", min, max)
	if !v.isNumber() || v.isQuoted() || !integerText.MatchString(v.node.Value) {
		v.bad("%s is not a whole number; %s", v.shown(), want)
		return 0, false
	}
	n, err := strconv.ParseInt(v.node.Value, 10, 64)
	if err != nil || n < min || n > max {
		v.bad("%s is out of range; %s", v.node.Value, want)
		return 0, false
	}
	return n, true
}

// number reads a finite number within min to max.
func (v value) number(min, max float64) (float64, bool) {
	want := fmt.Sprintf("want a number from %s to %s", formatNumber(min), formatNumber(max))
	if !v.isNumber() || v.isQuoted() || !numberText.MatchString(v.node.Value) {
		v.bad("%s is not a finite decimal number; %s", v.shown(), want)
		return 0, false
	}
	x, err := strconv.ParseFloat(v.node.Value, 64)
	if err != nil || math.IsInf(x, 0) || x < min || x > max {
		v.bad("%s is out of range; %s", v.node.Value, want)
		return 0, false
	}
	return x, true
}

// isText reports whether v is a scalar that is neither nothing nor a number nor a truth value.
func (v value) isText() bool {
	return v.node.Kind == yaml.ScalarNode && (v.node.Tag == "!!str" || v.node.Tag == "!!timestamp")
}

// text reads a line of text of 1 to most characters.
func (v value) text(want string, most int) (string, bool) {
	s := v.node.Value
	switch {
	case !v.isText():
		v.bad("%s is not text; want %s", v.shown(), want)
	case s == "" || utf8.RuneCountInString(s) > most:
		v.bad("%d characters; want %s of 1 to %d characters", utf8.RuneCountInString(s), want, most)
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }):
		v.bad("%s has control characters; want %s on one line", v.shown(), want)
	case strings.TrimSpace(s) != s:
		v.bad("%s begins or ends with a blank; want %s", v.shown(), want)
	default:
		return s, true
	}
	return "", false
}

// choice reads one of a few words.
func (v value) choice(words ...string) (string, bool) {
	if !v.isText() || !slices.Contains(words, v.node.Value) {
		near := ""
		if v.isText() {
			near = suggest(v.node.Value, words)
		}
		v.bad("%s; %swant one of %s", v.shown(), near, list(words))
		return "", false
	}
	return v.node.Value, true
}

// duration reads whole microseconds within min to max.
func (v value) duration(min, max time.Duration) (time.Duration, bool) {
	want := fmt.Sprintf("want a duration from %s to %s, such as 250ms, 3s, 1m30s or 7d", limit.FormatDuration(min), days(max))
	if v.isNumber() {
		v.bad("%s has no unit; %s", v.shown(), want)
		return 0, false
	}
	if !v.isText() || !durationText.MatchString(v.node.Value) {
		v.bad("%s is not a duration; %s", v.shown(), want)
		return 0, false
	}
	d, err := limit.ParseDuration(v.node.Value)
	if err != nil || d < min || d > max {
		v.bad("%s is out of range; %s", v.shown(), want)
		return 0, false
	}
	if d%time.Microsecond != 0 {
		v.bad("%s is not a whole number of microseconds; %s", v.shown(), want)
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

// rate reads COUNT/UNIT with a count of at least min.
func (v value) rate(min int64) (traffic.Rate, bool) {
	const want = "want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms"
	if v.isNumber() {
		v.bad("%s has no unit; %s", v.shown(), want)
		return traffic.Rate{}, false
	}
	if !v.isText() {
		v.bad("%s is not a rate; %s", v.shown(), want)
		return traffic.Rate{}, false
	}
	r, err := traffic.ParseRate(v.node.Value)
	if err != nil {
		v.bad("%v", err)
		return traffic.Rate{}, false
	}
	if r.Count < min {
		v.bad("%s is no rate at all; want at least %d, or pause: true for nobody", v.shown(), min)
		return traffic.Rate{}, false
	}
	return r, true
}

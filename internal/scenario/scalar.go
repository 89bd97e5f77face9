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

// The accepted spellings. YAML itself accepts more.
var (
	numberText   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	durationText = regexp.MustCompile(`^(-?)(([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+|[0-9]+d)$`)
	nameText     = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`) // the name of an algorithm
	scenarioName = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`)
)

// readTruth reads true or false.
func readTruth(v strictyaml.Value, into *bool) {
	if !v.IsTruth() || v.Node.Value != "true" && v.Node.Value != "false" {
		v.Bad("%s; want true or false", v.Shown())
		return
	}
	*into = v.Node.Value == "true"
}

// readNumber reads a finite number from least to most.
func readNumber(v strictyaml.Value, into *float64, least, most float64) bool {
	want := fmt.Sprintf("want a number from %s to %s", formatNumber(least), formatNumber(most))
	if !v.IsNumber() || v.IsQuoted() || !numberText.MatchString(v.Node.Value) {
		return v.Bad("%s is not a finite decimal number; %s", v.Shown(), want)
	}
	x, err := strconv.ParseFloat(v.Node.Value, 64)
	if err != nil || math.IsInf(x, 0) || x < least || x > most {
		return v.Bad("%s is out of range; %s", message.Bare(v.Node.Value), want)
	}
	*into = x
	return true
}

// readDuration reads a whole number of microseconds from least to most. A sign is allowed if least is negative.
func readDuration(v strictyaml.Value, into *time.Duration, least, most time.Duration) bool {
	first := limit.FormatDuration(least)
	if least < 0 {
		first = "-" + days(-least)
	}
	want := fmt.Sprintf("want a duration from %s to %s, such as 250ms, 3s, 1m30s or 7d", first, days(most))
	if v.IsNumber() {
		return v.Bad("%s has no unit; %s", v.Shown(), want)
	}
	var spelling []string
	if v.IsText() {
		spelling = durationText.FindStringSubmatch(v.Node.Value)
	}
	if spelling == nil || spelling[1] != "" && least >= 0 {
		return v.Bad("%s is not a duration; %s", v.Shown(), want)
	}
	d, err := limit.ParseDuration(v.Node.Value)
	switch {
	case err != nil || d < least || d > most:
		return v.Bad("%s is out of range; %s", v.Shown(), want)
	case d%time.Microsecond != 0:
		return v.Bad("%s is not a whole number of microseconds; %s", v.Shown(), want)
	}
	*into = d
	return true
}

// readUS reads a duration in microseconds, as readDuration does.
func readUS(v strictyaml.Value, into *int64, least, most time.Duration) bool {
	var d time.Duration
	ok := readDuration(v, &d, least, most)
	if ok {
		*into = d.Microseconds()
	}
	return ok
}

// days formats a duration. Whole days are written as days.
func days(d time.Duration) string {
	if day := 24 * time.Hour; d >= 2*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return limit.FormatDuration(d)
}

// readRate reads COUNT/UNIT. The count must be at least least.
func readRate(v strictyaml.Value, into *traffic.Rate, least int64) bool {
	const want = "want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms"
	if v.IsNumber() {
		return v.Bad("%s has no unit; %s", v.Shown(), want)
	}
	if !v.IsText() {
		return v.Bad("%s is not a rate; %s", v.Shown(), want)
	}
	r, err := traffic.ParseRate(v.Node.Value)
	if err != nil {
		return v.Bad("%v", err)
	}
	if r.Count < least {
		return v.Bad("%s is too small; want at least %d, or pause: true for no traffic", v.Shown(), least)
	}
	*into = r
	return true
}

// readName reads a name that is unique among its kind. lines has the earlier names with their lines.
func readName(v strictyaml.Value, into *string, kind string, lines map[string]int) {
	if !v.Text(into, "a name", maxName) {
		return
	}
	if line, twice := lines[*into]; twice {
		v.Bad("%s is also the %s on line %d; want names that are unique", v.Shown(), kind, line)
		return
	}
	lines[*into] = v.Node.Line
}

// ends reads [least, most], a list of two values. noun names them in messages.
func ends(v strictyaml.Value, noun string) (least, most strictyaml.Value) {
	items := v.List("[least, most]", 2)
	if len(items) == 1 {
		v.Bad("1 %s; want [least, most]", noun)
	}
	if len(items) != 2 {
		return least, most
	}
	return items[0], items[1]
}

package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// arrivals is the field of an arrival shape.
func (w *writer) arrivals(a traffic.Arrivals) string {
	switch a := a.(type) {
	case traffic.Constant:
		return fmt.Sprintf("constant: %d", int64(a))
	case traffic.Steady:
		return "constant: " + rate(a.Rate)
	case traffic.Poisson:
		return "poisson: " + rate(a.Rate)
	case traffic.Ramp:
		return fmt.Sprintf("ramp: {from: %s, to: %s}", rate(a.From), rate(a.To))
	case traffic.Steps:
		start, step := traffic.Rate{Count: a.Start, Per: a.Per}, traffic.Rate{Count: a.Step, Per: a.Per}
		return fmt.Sprintf("steps: {start: %s, step: %s, every: %s}", rate(start), rate(step), duration(a.Every))
	case traffic.Burst:
		if a.Every == 0 {
			return fmt.Sprintf("burst: %d", a.Size)
		}
		return fmt.Sprintf("burst: {count: %d, every: %s}", a.Size, duration(a.Every))
	case traffic.Spike:
		return fmt.Sprintf("spike: %d", int64(a))
	case traffic.Sine:
		return fmt.Sprintf("sine: {mean: %s, amplitude: %s, period: %s}", rate(a.Mean), rate(a.Amplitude),
			duration(a.Period))
	case traffic.OnOff:
		return fmt.Sprintf("on_off: {rate: %s, on: %s, off: %s}", rate(a.Rate), duration(a.On), duration(a.Off))
	case traffic.Pause:
		return "pause: true"
	}
	w.fail("%w: %T", errNoShape, a)
	return ""
}

func (w *writer) keys(k traffic.Keys) string {
	switch k := k.(type) {
	case traffic.Uniform:
		return fmt.Sprintf("{count: %d}", k.Count)
	case traffic.Sequential:
		return fmt.Sprintf("{count: %d, distribution: sequential}", k.Count)
	case traffic.Zipf:
		return fmt.Sprintf("{count: %d, distribution: zipf, exponent: %s}", k.Count, formatNumber(k.Exponent))
	case traffic.Hot:
		return fmt.Sprintf("{count: %d, distribution: hot, hot: {keys: %d, share: %s}}", k.Count, k.Keys,
			formatNumber(k.Share))
	}
	w.fail("keys of a kind that no file can say: %T", k)
	return ""
}

func (w *writer) cost(c traffic.Cost) string {
	switch c := c.(type) {
	case traffic.FixedCost:
		return strconv.FormatInt(int64(c), 10)
	case traffic.UniformCost:
		return fmt.Sprintf("{uniform: [%d, %d]}", c.Min, c.Max)
	case traffic.WeightedCost:
		var weights []string
		for _, e := range c {
			weights = append(weights, fmt.Sprintf("%d: %s", e.Cost, formatNumber(e.Weight)))
		}
		return "{weighted: {" + strings.Join(weights, ", ") + "}}"
	}
	w.fail("a cost of a kind that no file can say: %T", c)
	return ""
}

// duration writes d with the letters of every keyboard.
func duration(d time.Duration) string { return strings.ReplaceAll(days(d), "µ", "u") }

// rate writes r in one unit, as editors are told that a rate is.
func rate(r traffic.Rate) string {
	units := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond,
		"ms"}, {time.Microsecond, "us"}}
	for _, unit := range units {
		switch n := int64(r.Per / unit.of); {
		case r.Per%unit.of != 0 || n == 0:
		case n == 1:
			return fmt.Sprintf("%d/%s", r.Count, unit.name)
		default:
			return fmt.Sprintf("%d/%d%s", r.Count, n, unit.name)
		}
	}
	return fmt.Sprintf("%d/%s", r.Count, limit.FormatDuration(r.Per))
}

// lineScalar is scalar for text on a line of its own, where a comma ends nothing.
func lineScalar(text string) string {
	if scalar(strings.ReplaceAll(text, ", ", " ")) == strings.ReplaceAll(text, ", ", " ") {
		return text
	}
	return scalar(text)
}

// plainText is what YAML takes for text without quotes, also within braces.
var plainText = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9 ._/()+=?'-]*[A-Za-z0-9.()?])?$`)

// otherwise are words that YAML, in one version or another, takes for something else than text.
var otherwise = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

// scalar is text as YAML reads it back: in quotes only where it must be. Go's escapes in a quoted text are YAML's.
func scalar(text string) string {
	if plainText.MatchString(text) && !slices.Contains(otherwise, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}

// parameterScalar is a parameter's value, which may be a number.
func parameterScalar(text string) string {
	if numberText.MatchString(text) {
		return text
	}
	return scalar(text)
}

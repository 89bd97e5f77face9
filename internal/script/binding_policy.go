package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
)

// constants are the names of a binding that stand for a limit: {limit}, {window_s}, {window_ms}, {window_us},
// {burst} and {rate}.
type constants struct {
	policy limit.Policy
	legal  map[string]string // every name; a value that the limit has no exact text for is empty
	exact  map[string]string // those with an exact value
}

// constantsOf fills the names in. {rate} is in requests per second, as the shortest decimal that is the nearest
// double: 1000 per 3 s is 333.3333333333333.
//
// Note: rounding a window of 1.5 s to the {window_s} of 1 or 2 was the alternative; it would test another limit than
// the one that is asked about.
func constantsOf(p limit.Policy) constants {
	c := constants{policy: p, legal: map[string]string{
		"limit":     strconv.FormatInt(p.Requests, 10),
		"burst":     strconv.FormatInt(p.Capacity(), 10),
		"rate":      strconv.FormatFloat(float64(p.Requests)*1e6/float64(p.WindowUS()), 'f', -1, 64),
		"window_us": strconv.FormatInt(p.WindowUS(), 10),
		"window_ms": wholeUnits(p.Window, time.Millisecond),
		"window_s":  wholeUnits(p.Window, time.Second),
	}, exact: map[string]string{}}
	for name, value := range c.legal {
		if value != "" {
			c.exact[name] = value
		}
	}
	return c
}

// wholeUnits is how many units d is, or nothing if that is not a whole number.
func wholeUnits(d, unit time.Duration) string {
	if d%unit != 0 {
		return ""
	}
	return strconv.FormatInt(int64(d/unit), 10)
}

// template reads one element of keys or args.
func (c constants) template(text string) (Template, error) {
	if _, err := ParseTemplate(text, c.legal); err != nil {
		return Template{}, err
	}
	t, err := ParseTemplate(text, c.exact)
	if err != nil { // it is legal, and so it names what is not exact
		return Template{}, fmt.Errorf("template %q: %w", text, c.inexact())
	}
	return t, nil
}

// operand reads the right side of a comparison: a number, or one name in braces.
func (c constants) operand(text string) (number, error) {
	if name, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(name, "}") {
		name = strings.TrimSuffix(name, "}")
		value, legal := c.legal[name]
		switch {
		case !legal:
			return number{}, fmt.Errorf("unknown {%s}; want one of %s", name, c.list())
		case value == "":
			return number{}, c.inexact()
		}
		text = value
	}
	n, ok := parseNumber(text)
	if !ok {
		return number{}, fmt.Errorf("%q is not a number; want one such as 0 or {limit}; text goes into a list, such "+
			"as [\"OK\"]", text)
	}
	return n, nil
}

// inexact says why {window_s} or {window_ms} has no value, and what has one.
func (c constants) inexact() error {
	window := limit.FormatDuration(c.policy.Window)
	if c.legal["window_ms"] == "" {
		return fmt.Errorf("the window %s is not whole milliseconds; want {window_us}, or a limit per whole "+
			"milliseconds", window)
	}
	return fmt.Errorf("the window %s is not whole seconds; want {window_ms}, or a limit per whole seconds", window)
}

func (c constants) list() string {
	var all []string
	for name := range c.legal {
		all = append(all, "{"+name+"}")
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

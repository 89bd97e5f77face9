package algorithms

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Parameter is a property of an algorithm that the limit does not determine.
type Parameter struct {
	Name    string // as in gcra:burst=100
	Kind    Kind   // the syntax of its value
	Default string // in words, such as "the limit's burst"
	Doc     string // its effect
	Role    Role   // its meaning for readers of results; empty: nothing that several algorithms share

	Low, High int64    // Integer: the range; Duration: the range in µs
	Words     []string // OneOf: the legal values
}

// Role is a meaning that parameters of several algorithms share, whatever their names.
type Role string

// The roles.
const (
	Capacity Role = "capacity" // the most that is admitted at one instant
	Parts    Role = "parts"    // the number of parts of a window
	Clock    Role = "clock"    // the clock that decides
)

// Kind is the syntax of a parameter's value.
type Kind string

// The kinds of values.
const (
	Integer  Kind = "integer"  // 100
	Duration Kind = "duration" // 250us, 10ms, 3s, 1m30s, 24h, 7d
	OneOf    Kind = "word"     // one of Parameter.Words
	Name     Kind = "name"     // letters, digits and ._- ; at most 64
	Percent  Kind = "percent"  // 0.5%, to the fourth decimal
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// canonical returns the canonical spelling of text's value, or an error.
func (p *Parameter) canonical(text string) (string, error) {
	switch p.Kind {
	case Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || strings.HasPrefix(text, "+") || n < p.Low || n > p.High {
			return "", fmt.Errorf("%s is not a whole number from %d to %d", message.Quote(text), p.Low, p.High)
		}
		text = strconv.FormatInt(n, 10)
	case Duration:
		d, err := limit.ParseDuration(text)
		if err != nil {
			return "", err
		}
		if us := d.Microseconds(); d%time.Microsecond != 0 || us < p.Low || us > p.High {
			return "", fmt.Errorf("duration %s: want whole microseconds from %s to %s", message.Quote(text),
				limit.FormatDuration(time.Duration(p.Low)*time.Microsecond),
				limit.FormatDuration(time.Duration(p.High)*time.Microsecond))
		}
		text = limit.FormatDuration(d)
	case OneOf:
		if !slices.Contains(p.Words, text) {
			return "", fmt.Errorf("unknown value %s; want one of %s", message.Quote(text), strings.Join(p.Words, ", "))
		}
	case Name:
		if !nameForm.MatchString(text) {
			return "", fmt.Errorf("%s is not a name; want 1 to 64 letters, digits or ._-", message.Quote(text))
		}
	case Percent:
		n := p.Number(text)
		if !percentForm.MatchString(text) || n > 1_000_000 {
			return "", fmt.Errorf("%s; want 0%% to 100%%", message.Quote(text))
		}
		text = strconv.FormatFloat(float64(n)/1e4, 'f', -1, 64) + "%"
	}
	return text, nil
}

var percentForm = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,4})?%$`)

// Number returns a legal value as a number: a duration in microseconds, a word as its index, a percentage in
// millionths. It returns 0 for a text that is not a value, such as the description of a default.
func (p *Parameter) Number(text string) int64 {
	switch p.Kind {
	case Duration:
		d, _ := limit.ParseDuration(text)
		return d.Microseconds()
	case OneOf:
		return int64(slices.Index(p.Words, text))
	case Percent:
		share, _ := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		return int64(math.Round(share * 1e4))
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// Values are the parameters of one instance, with defaults for those that are not set. The value of each parameter that
// is read is recorded. Each value is legal by itself before Prepare sees it.
type Values struct {
	algorithm *Algorithm
	set       map[string]string
	resolved  map[string]string
}

func (c Choice) values() Values { return Values{c.Algorithm, c.set, map[string]string{}} }

// Integer returns the value of an Integer parameter, or otherwise if it is not set.
func (v Values) Integer(name string, otherwise int64) int64 {
	return v.parameter(name).Number(v.Word(name, strconv.FormatInt(otherwise, 10)))
}

// DurationUS returns the value of a Duration parameter in µs, or otherwise if it is not set.
func (v Values) DurationUS(name string, otherwise int64) int64 {
	return v.parameter(name).Number(v.Word(name, limit.FormatDuration(time.Duration(otherwise)*time.Microsecond)))
}

// Word returns the value of a parameter as text, or otherwise if it is not set.
func (v Values) Word(name, otherwise string) string {
	v.parameter(name)
	text, ok := v.set[name]
	if !ok {
		text = otherwise
	}
	v.resolved[name] = text
	return text
}

// isSet reports whether the user or a scenario set the parameter.
func (v Values) isSet(name string) bool {
	_, ok := v.set[name]
	return ok
}

// parameter returns the parameter with that name, which the algorithm must declare.
func (v Values) parameter(name string) *Parameter {
	p := find(v.algorithm.parameters(), name)
	if p == nil {
		panic("algorithm " + v.algorithm.Name + " declares no parameter " + name)
	}
	return p
}

package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Swept is a row for each of several values of one parameter.
type Swept struct {
	Of        string // the row without the parameter: gcra, or leases:renew=ttl/3
	Parameter string
	Duration  bool // the values are durations, in µs
	Rows      []Choice
	Labels    []string  // of the rows
	Values    []float64 // of the parameter; NaN: it is no number, such as none
}

// The number of values of a range A..B, and the most in all sweeps of a run.
const (
	sweptValues = 12
	MostSwept   = 50
)

// Sweep reads a label in which one parameter has several values: gcra:reserve=none,0,512, leases:ttl=1s..20m for 12
// values at equal ratios, or gcra:burst=1..100/5 for 5. renew=ttl/3 stands for a third of each ttl.
func Sweep(text string) (*Swept, error) {
	name, set, err := settings(text)
	if err != nil {
		return nil, fmt.Errorf("sweep %s: %w", message.Quote(text), err)
	}
	s := &Swept{}
	var values string
	for parameter, value := range set {
		if strings.Contains(value, ",") || strings.Contains(value, "..") {
			if s.Parameter != "" {
				return nil, fmt.Errorf("sweep %s: two parameters have several values; want one", message.Quote(text))
			}
			s.Parameter, values = parameter, value
		}
	}
	c, err := Choose(name, nil)
	if err != nil {
		return nil, err
	}
	p := find(c.Algorithm.parameters(), s.Parameter)
	if s.Parameter == "" || p == nil {
		return nil, fmt.Errorf("sweep %s: want a parameter with several values, such as %s:reserve=none,0,512 or "+
			"leases:ttl=1s..20m", message.Quote(text), name)
	}
	list, err := p.several(values)
	if err != nil {
		return nil, fmt.Errorf("sweep %s: %w", message.Quote(text), err)
	}
	s.Duration = p.Kind == Duration
	for _, value := range list {
		mine := map[string]string{}
		for k, v := range set {
			mine[k] = v
		}
		mine[s.Parameter] = value
		if set["renew"] == "ttl/3" {
			mine["renew"] = fmt.Sprintf("%dus", find(c.Algorithm.parameters(), "ttl").Number(mine["ttl"])/3)
		}
		row, err := Choose(name, mine)
		if err != nil {
			return nil, fmt.Errorf("sweep %s: %w", message.Quote(text), err)
		}
		s.Rows, s.Labels = append(s.Rows, row), append(s.Labels, row.Label)
		s.Values = append(s.Values, p.swept(value))
	}
	s.Of = name
	for _, q := range c.Algorithm.parameters() {
		if v, ok := set[q.Name]; ok && q.Name != s.Parameter {
			s.Of += ":" + q.Name + "=" + v
		}
	}
	return s, nil
}

// SweepOfScript reads the sweep of a parameter of a user's script: my:ttl=1s..20m. values are the parameter's values as
// text, for the row of each.
func SweepOfScript(text string) (s *Swept, values []string, err error) {
	name, set, err := settings(text)
	if err == nil && len(set) != 1 {
		err = errors.New("want one parameter, such as my:ttl=1s..20m")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("sweep %s: %w", message.Quote(text), err)
	}
	s = &Swept{Of: name}
	for parameter, list := range set {
		p := Parameter{Name: parameter, Kind: Name}
		first, _, _ := strings.Cut(list, ",")
		if low, _, found := strings.Cut(first, ".."); found {
			first = low
		}
		if _, err := limit.ParseDuration(first); err == nil {
			p.Kind = Duration
		}
		s.Parameter, s.Duration = parameter, p.Kind == Duration
		if values, err = p.several(list); err != nil {
			return nil, nil, fmt.Errorf("sweep %s: %w", message.Quote(text), err)
		}
		for _, v := range values {
			s.Values = append(s.Values, p.swept(v))
		}
	}
	return s, values, nil
}

// SweepOfLimits reads the values of a sweep over the limit: 50/1m,100/1m, or 50/1m..200/1m for 12 values at equal
// ratios, or 4/in_flight..64/in_flight/5 for 5. A range has one window.
func SweepOfLimits(text string) (all []string, err error) {
	p := Parameter{Kind: Integer}
	low, high, found := strings.Cut(text, "..")
	if !found {
		return strings.Split(text, ","), nil
	}
	from, per, _ := strings.Cut(low, "/")
	to, rest, _ := strings.Cut(high, "/")
	over, count, counted := strings.Cut(rest, "/")
	if over != per {
		return nil, fmt.Errorf("limit=%s: the two limits have different windows; want one", text)
	}
	if counted {
		to += "/" + count
	}
	counts, err := p.between(from, to)
	for _, n := range counts {
		all = append(all, n+"/"+per)
	}
	return all, err
}

// swept returns a value as a number: a duration in µs, or NaN if the value is no number, such as none.
func (p *Parameter) swept(value string) float64 {
	if p.Kind == Duration {
		d, err := limit.ParseDuration(value)
		if err == nil {
			return float64(d.Microseconds())
		}
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return math.NaN()
	}
	return number
}

// several returns the values of a list A,B,C or of a range A..B.
func (p *Parameter) several(values string) ([]string, error) {
	if low, rest, found := strings.Cut(values, ".."); found {
		return p.between(low, rest)
	}
	return strings.Split(values, ","), nil
}

// between returns values from low to high at equal ratios, in whole units of low. Equal ones occur once.
func (p *Parameter) between(low, rest string) (all []string, err error) {
	high, count, counted := strings.Cut(rest, "/")
	n := sweptValues
	if counted {
		if n, err = strconv.Atoi(count); err != nil || n < 2 || n > MostSwept {
			return nil, fmt.Errorf("%s values: want 2 to %d", message.Quote(count), MostSwept)
		}
	}
	number := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	unit := 1.0
	if p.Kind == Duration {
		number = func(text string) (float64, error) {
			d, err := limit.ParseDuration(text)
			return float64(d.Microseconds()), err
		}
		unit, _ = number("1" + strings.TrimLeft(low, "0123456789."))
	}
	from, err1 := number(low)
	to, err2 := number(high)
	if err1 != nil || err2 != nil || !(from > 0) || !(to > from) || unit <= 0 {
		return nil, fmt.Errorf("%s..%s: want two values above 0, the smaller one first", low, high)
	}
	for i := range n {
		v := unit * math.Round(from*math.Pow(to/from, float64(i)/float64(n-1))/unit)
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if p.Kind == Duration {
			text = limit.FormatDuration(time.Duration(v) * time.Microsecond)
		}
		all = append(all, text)
	}
	return slices.Compact(all), nil
}

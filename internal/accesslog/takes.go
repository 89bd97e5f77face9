package accesslog

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// spans reads how long each request took, from a duration or from the time of its end.
type spans struct {
	duration amount // nil: there is no duration
	unit     unit   // the unit of the durations
	end      column // nil: there is no time of the end
	ends     stamps // reads the values of end
	stamped  bool   // the log's time is the end of a request
	note     string // the guesses
	actual   amount // the cost that is known at the end; nil: the cost is known at the start
}

// nginx writes these times when a request ends, and its duration under this name.
var (
	nginxTimes    = []string{"time_local", "time_iso8601", "msec"}
	nginxDuration = "request_time"
)

// unitsByName are the units of durations that common servers write in another unit than seconds.
var unitsByName = map[string]string{"time-taken": "ms", "total_time": "ms", "turn_around_time": "ms", "elapsed": "ms",
	"duration in envoy": "ms", "Duration in traefik": "ns"}

// splitUnit cuts a unit off the name of a field, as in duration:ms.
func splitUnit(name string) (field string, u *unit) {
	i := strings.LastIndexByte(name, ':')
	if i < 1 {
		return name, nil
	}
	n := slices.IndexFunc(units, func(u unit) bool { return u.short == name[i+1:] })
	if n < 0 {
		return name, nil
	}
	return name[:i], &units[n]
}

// durationUnit guesses the unit of a duration from its name, and from the format.
func durationUnit(name string, format Format) unit {
	short := cmp.Or(unitsByName[name+" in "+string(format)], unitsByName[name])
	for _, u := range units[1:] {
		for _, ending := range []string{"_" + u.short, strings.ToUpper(u.short[:1]) + u.short[1:], u.name} {
			if short == "" && strings.HasSuffix(name, ending) {
				short = u.short
			}
		}
	}
	n := slices.IndexFunc(units, func(u unit) bool { return u.short == short })
	return units[max(n, 0)]
}

// findSpans finds the fields that say how long a request took. find must have run before, because the name of the time
// tells whether the log is nginx's.
func (r *fields) findSpans(t Trace, format Format) error {
	s := &r.spans
	s.stamped = t.TimeIs == TimeIsEnd
	var err error
	if t.Actual != "" {
		if s.actual, err = r.amountOf("actual", t.Actual); err != nil {
			return err
		}
	}
	if t.End != "" {
		name := t.End
		if len(resolve(r.format, name, exactly)) == 0 {
			name, s.ends.unit = splitUnit(name)
		}
		found, err := r.columns("end", name)
		if err != nil {
			return err
		}
		s.ends.name, s.end = name, joined(found, ' ', func(v []byte) []byte { return v })
	}
	if t.Takes == "" {
		return nil
	}
	if isExpression(t.Takes) {
		s.unit, s.note = units[0], "how long a request takes is assumed: "+t.Takes+" s"
		s.duration, err = r.amountOf("takes", t.Takes)
		return err
	}
	name, named := t.Takes, (*unit)(nil)
	if len(resolve(r.format, name, exactly)) == 0 {
		name, named = splitUnit(name)
	}
	if s.duration, err = r.amountOf("takes", name); err != nil {
		return err
	}
	if named != nil {
		s.unit = *named
	} else {
		s.unit = durationUnit(strings.TrimPrefix(summands(name)[0], "$"), format)
		s.note = fmt.Sprintf("%s was taken for %s; --trace-takes %s:ms, or :s, :us or :ns, names another unit", name,
			s.unit.name, name)
	}
	is := func(name string) func(string) bool {
		return func(other string) bool { return plain(other) == plain(name) }
	}
	if t.TimeIs == "" && is(nginxDuration)(name) && slices.ContainsFunc(nginxTimes, is(r.stamps.name)) {
		s.stamped = true
		s.note += fmt.Sprintf("; nginx writes %s when a request ends, so its start is earlier by %s (--trace-time-is "+
			"start: it is the start)", r.stamps.name, name)
	}
	return nil
}

// takesUS returns how long the request took that begins, or ends, at atUS. It is at least 1 µs, so that no request ends
// before it starts. It is 0 if the trace names no field for it.
func (r *fields) takesUS(atUS int64) (int64, error) {
	s, us := &r.spans, 0.0
	switch {
	case s.end != nil:
		text, err := s.end()
		if err != nil {
			return 0, err
		}
		end, err := s.ends.parse(bytes.TrimSpace(text))
		if err != nil {
			return 0, fmt.Errorf("in the end: %w", err)
		}
		if end.us < atUS {
			return 0, fmt.Errorf("end %s: it is before the start; want the start in --trace-time, and the end in "+
				"--trace-end", message.Quote(text))
		}
		us = float64(end.us - atUS)
	case s.duration == nil:
		return 0, nil
	default:
		n, err := s.duration()
		if err != nil || !(n >= 0) {
			if err == nil {
				err = fmt.Errorf("%v is not possible", n)
			}
			return 0, fmt.Errorf("duration %w; want a number of %s, 0 or more", err, s.unit.name)
		}
		us = n * float64(secondUS) / float64(s.unit.inSecond)
	}
	if us > float64(maxTraceUS) {
		return 0, fmt.Errorf("the request takes %.0f s, in %s; want less, or another unit", us/secondUS, s.unit.name)
	}
	return max(1, int64(math.Ceil(us-1e-6))), nil // 0.3 s is not exact in binary
}

// actualCost returns the cost of the current line that is known at the request's end, rounded up. It is 0 if the trace
// names no field for it.
func (r *fields) actualCost() (int64, error) {
	if r.spans.actual == nil {
		return 0, nil
	}
	n, err := r.spans.actual()
	if err == nil && (n < 0 || n > traffic.MaxCost) {
		err = fmt.Errorf("%v is out of range", n)
	}
	if err != nil {
		return 0, fmt.Errorf("actual cost %w; want a number from 0 to %d", err, traffic.MaxCost)
	}
	return max(1, int64(math.Ceil(n-1e-9))), nil
}

// Package accesslog reads recorded traffic: access logs of web servers and load balancers, CSV and JSON lines. A Trace
// says which files, and how to read them. It plays as a phase of a traffic.Stream.
//
// A log is read as a stream: its memory does not grow with its length. Blocks of a file are parsed on all processors.
// The package generates no requests, and knows no limiter.
package accesslog

import (
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// Trace is recorded traffic: which file, and how to read it.
type Trace struct {
	File   string            // plain or gzip, told by content
	More   []string          // further files of the same log, in any order: all of them are merged by time
	Stdin  *io.SectionReader // what the path StandardInput holds; nil: it is a file like others
	Format Format            // empty: guessed from the first line

	// Key, Time and Cost name columns of a CSV file, (dotted) fields of JSON lines or $names of a template. Without
	// Time and Key those are taken that are called as in common logs; without such a key, or with NoKey, all requests
	// share one. Without Cost each costs 1. In a combined log the time is fixed, Key is of CombinedKeys (empty:
	// client) and there is no cost. A Cost "a+b" is the sum of two columns, a Key "a+b" the two values with a stroke
	// between them, a Time "a+b" with a blank, unless there is a column of that whole name; so on for more. A Time
	// "at:ms" names the unit of a number: s, ms, us or ns. A Time "at:%d.%m.%Y %H:%M:%S" names a layout, as that of
	// Python's strptime. Without %Y the year is that of the file's last change, or Year.
	Key, Time, Cost string
	// Takes names the field with how long a request took, "duration:ms" with its unit, and a+b adds two; End names the
	// field with the time at which it ended. TimeIs says whether Time is a request's start or end; empty: start, and
	// end where nginx's names tell so.
	Takes, End string
	TimeIs     TimeIs
	Year       int64
	Where      []string // field=value: lines with other values are left out, and noted
	SkipKey    string   // requests with this key are left out, and noted

	Speed        float64      // 10 plays ten times as fast; 0 stands for 1
	Skip         int64        // this many requests, the earliest, are left out
	Limit        int64        // at most this many are taken after them; 0 stands for all
	Bad          int64        // up to so many lines that are no requests are left out, and noted; more are an error
	WithinSecond WithinSecond // empty: even

	// Of Parts the requests of Part's keys are yielded, at their places in the whole log; of 0 all are. What the pass
	// finds is that of the whole log.
	Part, Parts uint64
}

// StandardInput is the path that stands for what came through a pipe, where the trace has that.
const StandardInput = "-"

// NoKey is the Key of a trace whose requests share one limit.
const NoKey = "none"

// WithinSecond is where requests go whose timestamps say no more than the second. Their order in the file is
// kept. Timestamps with a fraction are never moved.
type WithinSecond string

// TimeIs says which time of a request a log has.
type TimeIs string

// The times of a request.
const (
	TimeIsStart TimeIs = "start"
	TimeIsEnd   TimeIs = "end"
)

// The rules for one-second timestamps.
const (
	Even    WithinSecond = "even"    // the i-th of n at i/n s
	AtStart WithinSecond = "at_once" // all at the second's start
)

// WithinSeconds are the rules, in the order in which messages list them.
var WithinSeconds = []WithinSecond{Even, AtStart}

// The outermost values of a trace and its lines.
const (
	MinSpeed = 1e-3
	MaxSpeed = 1e6
)

// FieldError is what is wrong with one field of a Trace.
type FieldError struct {
	Field   string // as in a scenario file: file, format, key, …
	Problem string // what was found; what is wanted
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// problems collects what is wrong with the fields of a trace.
type problems []*FieldError

func (p *problems) bad(field, format string, args ...any) {
	*p = append(*p, &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// Validate reports every field that no file could make right.
func (t Trace) Validate() []*FieldError {
	var p problems
	files := t.files()
	for i, file := range files {
		switch {
		case file == "":
			p.bad("file", "missing; want the path of a trace")
		case strings.ContainsFunc(file, message.IsControl):
			p.bad("file", "%s has control characters; want a path", message.Quote(file))
		case slices.Index(files, file) < i:
			p.bad("file", "%s is named twice; want each file of a log once", message.Quote(file))
		}
	}
	if t.Format != "" && t.Format.layout() == nil {
		p.bad("format", "%s is not a format; %s, or a template such as %s", message.Quote(t.Format),
			message.OneOf(string(t.Format), Formats()), exampleTemplate)
	}
	if t.WithinSecond != "" && !slices.Contains(WithinSeconds, t.WithinSecond) {
		p.bad("within_second", "%s is not a rule; %s", message.Quote(t.WithinSecond),
			message.OneOf(string(t.WithinSecond), WithinSeconds))
	}
	if math.IsNaN(t.Speed) || t.Speed != 0 && (t.Speed < MinSpeed || t.Speed > MaxSpeed) {
		p.bad("speed", "%v is out of range; want %v to %v", t.Speed, MinSpeed, int(MaxSpeed))
	}
	if t.Skip < 0 {
		p.bad("skip", "%d is negative; want 0 or more requests", t.Skip)
	}
	if t.Limit < 0 {
		p.bad("limit", "%d is negative; want 0 (all) or more requests", t.Limit)
	}
	if t.Bad < 0 {
		p.bad("bad", "%d is negative; want 0 or more lines", t.Bad)
	}
	if _, layout := splitLayout(t.Time); layout != nil {
		if err := layout.check(); err != nil {
			p.bad("time", "%v", err)
		}
	}
	switch {
	case t.TimeIs != "" && t.TimeIs != TimeIsStart && t.TimeIs != TimeIsEnd:
		p.bad("time_is", "%s; want start or end", message.Quote(t.TimeIs))
	case t.Takes != "" && t.End != "":
		p.bad("end", "--trace-takes says when a request ends as well; want one of them")
	case t.End != "" && t.TimeIs == TimeIsEnd:
		p.bad("time_is", "--trace-end is the end already, so that the time is the start")
	case t.TimeIs == TimeIsEnd && t.Takes == "":
		p.bad("time_is", "the start is not known; want --trace-takes, with how long a request took")
	}
	if t.Year != 0 && (t.Year < 1970 || t.Year > 2100) {
		p.bad("year", "%d is out of range; want 1970 to 2100", t.Year)
	}
	for _, w := range t.Where {
		if strings.IndexByte(w, '=') < 1 {
			p.bad("where", "%s has no field and value; want FIELD=VALUE, such as method=GET", message.Quote(w))
		}
	}
	return append(p, t.checkFields()...)
}

// checkFields reports what does not go with the format; an empty format may still become any.
func (t Trace) checkFields() problems {
	if l := t.Format.layout(); l != nil && l.check != nil {
		return l.check(t)
	}
	return nil
}

// files are all that the trace consists of.
func (t Trace) files() []string { return append([]string{t.File}, t.More...) }

// Title is what notes and questions call the trace: its first file, and how many more there are.
func (t Trace) Title() string {
	title := path.Base(strings.ReplaceAll(t.nameOf(t.File), `\`, "/"))
	if len(t.More) > 0 {
		title += fmt.Sprintf(" and %d more", len(t.More))
	}
	return title
}

// nameOf is a path as messages show it.
func (t Trace) nameOf(path string) string {
	if t.Stdin != nil && path == StandardInput {
		return "standard input"
	}
	return path
}

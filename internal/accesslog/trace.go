// Package accesslog reads recorded traffic: access logs of web servers and load balancers, CSV and JSON lines. A Trace
// names the files and how to read them. It plays as a phase of a traffic.Stream.
//
// A log is read as a stream, so the memory does not grow with its length. Blocks of a file are parsed on all
// processors. The package generates no requests, and does not know limiters.
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

// Trace describes recorded traffic: the files, and how to read them.
type Trace struct {
	File   string            // plain or gzip, detected from its content
	More   []string          // more files of the same log, in any order; all files are merged by time
	Stdin  *io.SectionReader // the content of the path StandardInput; nil: that path is an ordinary file
	Format Format            // empty: guessed from the first line

	// Key, Time and Cost name columns of a CSV file, (dotted) fields of JSON lines or $names of a template. If Time or
	// Key is empty, a field with a name common in logs is used. If there is no such key, or Key is NoKey, all requests
	// have the same key. If Cost is empty, each request costs 1. In a combined log the time is fixed, Key is one of
	// CombinedKeys (empty: client), and there is no cost.
	//
	// Names joined by + combine several columns, unless a column has the whole name. A Cost "a+b" is the sum of the
	// values, a Key "a+b" has a | between them, a Time "a+b" a blank. A Time "at:ms" names the unit of a number: s, ms,
	// us or ns. A Time "at:%d.%m.%Y %H:%M:%S" names a layout as in Python's strptime. Without %Y the year is Year, or
	// that of the file's last change.
	Key, Time, Cost string
	// Takes names the field that says how long a request took. "duration:ms" names its unit, and a+b adds two fields.
	// End names the field with the time at which the request ended. TimeIs tells whether Time is a request's start or
	// its end. If TimeIs is empty, Time is the start; with the names of nginx it is the end.
	// Actual is the cost that is known at the end, as Cost. Takes and Actual may also be expressions in braces.
	Takes, End, Actual string
	TimeIs             TimeIs
	Year               int64
	Where              []string // field=value: lines with other values are left out and noted
	SkipKey            string   // requests with this key are left out and noted

	Speed        float64      // 10 plays ten times as fast; 0 means 1
	Skip         int64        // the number of earliest requests to leave out
	Limit        int64        // the most requests to read after those; 0 means all
	Bad          int64        // the most lines to leave out and note that are not requests; more are an error
	WithinSecond WithinSecond // empty: even

	// If Parts is not 0, only the requests of Part's keys are yielded, at their places in the whole log. The findings
	// of the pass still concern the whole log.
	Part, Parts uint64
}

// StandardInput is the path that stands for standard input if Stdin is set.
const StandardInput = "-"

// NoKey is the Key of a trace whose requests have the same key.
const NoKey = "none"

// WithinSecond is the rule for requests whose timestamps have no fraction: it determines their places within the
// second. Their order in the file is kept. Timestamps with a fraction are never moved.
type WithinSecond string

// TimeIs tells whether a log has the time of a request's start or of its end.
type TimeIs string

// The times of a request.
const (
	TimeIsStart TimeIs = "start"
	TimeIsEnd   TimeIs = "end"
)

// The rules for one-second timestamps.
const (
	Even    WithinSecond = "even"    // request i of n at i/n s
	AtStart WithinSecond = "at_once" // all at the start of the second
)

// WithinSeconds lists the rules in the order in which messages list them.
var WithinSeconds = []WithinSecond{Even, AtStart}

// The smallest and the largest speed of a trace.
const (
	MinSpeed = 1e-3
	MaxSpeed = 1e6
)

// FieldError reports a problem with one field of a Trace.
type FieldError struct {
	Field   string // as in a scenario file: file, format, key, …
	Problem string // the cause and the remedy
}

// Error implements error.
func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// problems collects the errors of the fields of a trace.
type problems []*FieldError

func (p *problems) bad(field, format string, args ...any) {
	*p = append(*p, &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// Validate returns the errors of all fields that no file could make valid.
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
	case t.Actual != "" && t.Takes == "" && t.End == "":
		p.bad("actual", "it is known at the end, and nothing says when that is; want --trace-takes or --trace-end")
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

// checkFields returns errors for fields that the format does not allow. An empty format allows all fields.
func (t Trace) checkFields() problems {
	if l := t.Format.layout(); l != nil && l.check != nil {
		return l.check(t)
	}
	return nil
}

// files returns the paths of all files of the trace.
func (t Trace) files() []string { return append([]string{t.File}, t.More...) }

// Title returns the trace's name in notes and questions: its first file, and the number of other files.
func (t Trace) Title() string {
	title := path.Base(strings.ReplaceAll(t.nameOf(t.File), `\`, "/"))
	if len(t.More) > 0 {
		title += fmt.Sprintf(" and %d more", len(t.More))
	}
	return title
}

// nameOf returns a path as messages show it.
func (t Trace) nameOf(path string) string {
	if t.Stdin != nil && path == StandardInput {
		return "standard input"
	}
	return path
}

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
	// "at:ms" names the unit of a number: s, ms, us or ns.
	Key, Time, Cost string
	SkipKey         string // requests with this key are left out, and noted

	Speed        float64      // 10 plays ten times as fast; 0 stands for 1
	Skip         int64        // this many requests, the earliest, are left out
	Limit        int64        // at most this many are taken after them; 0 stands for all
	Bad          int64        // up to so many lines that are no requests are left out, and noted; more are an error
	WithinSecond WithinSecond // empty: even
}

// StandardInput is the path that stands for what came through a pipe, where the trace has that.
const StandardInput = "-"

// Format is how a trace is written.
type Format string

// The formats of traces. Every other that has a $name is a template of a line of text.
const (
	Combined Format = "combined" // Apache's and nginx's combined log, or the common log without its last two fields
	CSV      Format = "csv"      // RFC 4180 with a header line; comma, semicolon or tab
	JSONL    Format = "jsonl"    // one JSON object per line
	W3C      Format = "w3c"      // W3C's extended log format with a #Fields line, as IIS and CloudFront write it

	ALB     Format = "alb"     // AWS Application Load Balancer
	ELB     Format = "elb"     // AWS Classic Load Balancer
	S3      Format = "s3"      // AWS S3 server access log
	HAProxy Format = "haproxy" // HAProxy's option httplog
	Envoy   Format = "envoy"   // Envoy's default text
	Squid   Format = "squid"   // Squid's native access log
)

// template is the format's template; "": it has none.
func (f Format) template() string {
	if strings.Contains(string(f), "$") {
		return string(f)
	}
	return presets[f]
}

// NoKey is the Key of a trace whose requests share one limit.
const NoKey = "none"

// WithinSecond is where requests go whose timestamps say no more than the second. Their order in the file is
// kept. Timestamps with a fraction are never moved.
type WithinSecond string

// The rules for one-second timestamps.
const (
	Even    WithinSecond = "even"    // the i-th of n at i/n s
	AtStart WithinSecond = "at_once" // all at the second's start
)

// The legal values, in the order in which messages list them.
var (
	Formats       = []Format{Combined, CSV, JSONL, W3C, ALB, ELB, S3, HAProxy, Envoy, Squid}
	WithinSeconds = []WithinSecond{Even, AtStart}
	CombinedKeys  = []string{"client", "user", "method", "path", "status", "host", "agent", "forwarded"}
)

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
type problems []error

func (p *problems) bad(field, format string, args ...any) {
	*p = append(*p, &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// Validate reports every field that no file could make right, as *FieldError.
func (t Trace) Validate() []error {
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
	if t.Format != "" && t.Format.template() == "" && !slices.Contains(Formats, t.Format) {
		p.bad("format", "%s is not a format; %s, or a template such as %s", message.Quote(t.Format),
			message.OneOf(string(t.Format), Formats), exampleTemplate)
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
	return append(p, t.checkFields()...)
}

// checkFields reports which of Key, Time and Cost do not go with the format; an empty format may still become any.
func (t Trace) checkFields() []error {
	var p problems
	if t.Format == Combined {
		for _, name := range summands(t.Key) {
			if t.Key != "" && t.Key != NoKey && !slices.Contains(CombinedKeys, name) {
				p.bad("key", "%s is not a field of a combined log; %s, or several joined by +", message.Quote(name),
					message.OneOf(name, CombinedKeys))
			}
		}
		if t.Time != "" {
			p.bad("time", "%s: a combined log has its own time; leave the field out", message.Quote(t.Time))
		}
		if t.Cost != "" {
			p.bad("cost", "%s: a combined log has no cost; leave the field out", message.Quote(t.Cost))
		}
	}
	if text := t.Format.template(); text != "" {
		if fields, err := newTemplate(text); err != nil {
			p.bad("format", "%v", err)
		} else if t.Time == "" && known(fields, timeNames) == "" {
			p.bad("format", "no $name of %s is a known time; want $%s, or its name in --trace-time, or in time in "+
				"a scenario", message.Quote(text), strings.Join(templateTimes, ", $"))
		}
	}
	return p
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

// Package algotest reads the hand-worked traces in algorithms/testdata, for the tests of all limiters: the models, and
// the scripts on all servers. A trace looks like this:
//
//	limit 3/3s                    a new trace: 3 requests per 3 s; `burst 5` may follow
//	label gcra:burst=2            the limiter; without this line, the algorithm that the file is named after
//	at=0s cost=1 -> allow remaining=2 reset=1s   # why
//	at=0s cost=4 -> deny  remaining=2 retry=never reset=1s
//
// A step has `at` (since the trace's start; it may step back), `key` (by default always the same), `cost` (by default
// 1), and the whole decision: fields that are left out are 0. Blank lines and text after # are ignored.
package algotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ratelab/internal/limit"
)

// StartUS is the start of all traces: 2024-01-01T00:00:00Z, in µs since 1970.
const StartUS int64 = 1_704_067_200_000_000

// Trace is a limit with requests and their decisions.
type Trace struct {
	Name   string // file and line, for a test's name
	Label  string // as algorithms.Parse reads it
	Policy limit.Policy
	Steps  []Step
}

// Step is one request and its decision.
type Step struct {
	Line          int // AtUS counts from StartUS, and may be negative or less than in the step before
	limit.Request     // AtUS is since StartUS, and may be negative or less than the step's before
	Want          limit.Decision
}

// Load reads all traces in the directory, in the order of the files' names.
func Load(dir string) ([]Trace, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no traces in %s: %v", dir, err)
	}
	var all []Trace
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		traces, err := Parse(filepath.Base(path), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, traces...)
	}
	return all, nil
}

// Parse reads the traces of one file. The file's base name is the algorithm's name.
func Parse(file, text string) ([]Trace, error) {
	var traces []Trace
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if fields[0] == "limit" {
			traces = append(traces, Trace{Name: fmt.Sprintf("%s:%d", file, i+1),
				Label: strings.TrimSuffix(file, ".txt")})
		}
		if len(traces) == 0 {
			return nil, fmt.Errorf("%s:%d: a trace begins with a line such as: limit 3/3s", file, i+1)
		}
		if err := traces[len(traces)-1].read(i+1, fields); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return traces, nil
}

func (t *Trace) read(line int, fields []string) (err error) {
	switch {
	case fields[0] == "label" && len(fields) == 2:
		t.Label = fields[1]
	case fields[0] == "limit" && (len(fields) == 2 || len(fields) == 4 && fields[2] == "burst"):
		if t.Policy, err = limit.ParsePolicy(fields[1]); err == nil && len(fields) == 4 {
			t.Policy.Burst, err = strconv.ParseInt(fields[3], 10, 64)
		}
	default:
		step := Step{Line: line, Request: limit.Request{Key: "k", Cost: 1}}
		err = step.read(fields)
		t.Steps = append(t.Steps, step)
	}
	return err
}

// verdicts maps the words of traces to verdicts.
var verdicts = map[string]limit.Verdict{"allow": limit.Allowed, "deny": limit.Rejected,
	"not-configured": limit.NotConfigured}

func (s *Step) read(fields []string) (err error) {
	decided := false
	for i := 0; i < len(fields) && err == nil; i++ {
		name, value, _ := strings.Cut(fields[i], "=")
		switch name {
		case "at":
			s.AtUS, err = microseconds(value)
		case "key":
			s.Key = value
		case "cost":
			s.Cost, err = strconv.ParseInt(value, 10, 64)
		case "remaining":
			s.Want.Remaining, err = strconv.ParseInt(value, 10, 64)
		case "retry":
			s.Want.RetryAfterUS, err = microseconds(value)
		case "reset":
			s.Want.ResetAfterUS, err = microseconds(value)
		case "delay":
			s.Want.DelayUS, err = microseconds(value)
		case "->":
			if i++; i < len(fields) {
				s.Want.Verdict, decided = verdicts[fields[i]]
			}
		default:
			err = fmt.Errorf("unknown field %q", fields[i])
		}
	}
	if err == nil && !decided {
		err = fmt.Errorf("want -> allow, deny or not-configured")
	}
	return err
}

func microseconds(text string) (int64, error) {
	switch text {
	case "never":
		return limit.Never, nil
	case "0", "0s":
		return 0, nil
	}
	d, err := limit.ParseDuration(text)
	return d.Microseconds(), err
}

// Describe formats a decision in the words of a trace, so that a failure is easy to compare.
func Describe(d limit.Decision) string {
	word := "?"
	for name, v := range verdicts {
		if v == d.Verdict {
			word = name
		}
	}
	text := fmt.Sprintf("%s remaining=%d", word, d.Remaining)
	for _, part := range []struct {
		name string
		us   int64
	}{{"retry", d.RetryAfterUS}, {"reset", d.ResetAfterUS}, {"delay", d.DelayUS}} {
		if part.us == limit.Never {
			text += " " + part.name + "=never"
		} else if part.us != 0 {
			text += fmt.Sprintf(" %s=%dus", part.name, part.us)
		}
	}
	return text
}

// Check lets l decide the steps. It returns one line for each decision that differs from the trace.
func (t *Trace) Check(l limit.Model) []string {
	var wrong []string
	for i, q := range t.Requests() {
		if s, got := t.Steps[i], limit.Ask(l, StartUS, &q); got != s.Want {
			wrong = append(wrong, fmt.Sprintf("%s, line %d: got %s; want %s", t.Name, s.Line, Describe(got),
				Describe(s.Want)))
		}
	}
	return wrong
}

// Requests returns the requests of all steps.
func (t *Trace) Requests() []limit.Request {
	var all []limit.Request
	for _, s := range t.Steps {
		all = append(all, s.Request)
	}
	return all
}

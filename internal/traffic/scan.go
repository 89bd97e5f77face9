package traffic

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ratelab/internal/message"
)

const (
	// maxLineErrors is how many bad lines of a trace are reported at once.
	maxLineErrors = 10
	// errorHorizon is how many lines are read after a bad one in search of others.
	errorHorizon = 100_000
	// maxInterned bounds the table of keys seen, which saves an allocation per line.
	maxInterned = 1 << 18
)

// LineErrors are the bad lines of a trace, each as file:line: what was found; what is wanted.
type LineErrors []error

// Error implements error: one line each.
func (e LineErrors) Error() string {
	s := make([]string, len(e))
	for i, err := range e {
		s[i] = err.Error()
	}
	return strings.Join(s, "\n")
}

// Unwrap gives the errors to errors.Is and errors.As.
func (e LineErrors) Unwrap() []error { return e }

// scanner reads the entries of a trace in the order of its lines.
type scanner struct {
	trace   Trace
	lines   lines
	format  format
	guessed Format // empty if the format was given
	used    int64
	keys    map[string]string
	pending []byte // the first line, read for the format's sake, if it is a record
	leftOut *leftOut
}

// leftOut are the lines of a trace, in whichever of its files, that are no requests.
type leftOut struct {
	shown LineErrors
	count int64
}

// newScanner finds the file's format and reads a CSV header.
func newScanner(t Trace, src *source, bad *leftOut) (*scanner, error) {
	s := &scanner{trace: t, lines: lines{src: src}, keys: map[string]string{}, leftOut: bad}
	first, err := s.lines.next()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: the file is empty; want a trace", src.name)
	}
	if err != nil {
		return nil, err
	}
	kind := t.Format
	if kind == "" {
		if kind, err = guess(first, t.Time); err != nil {
			return nil, s.at(err)
		}
		s.guessed = kind
	}
	if err := s.checkFields(kind, first); err != nil {
		return nil, err
	}
	var header bool
	if s.format, header, err = newFormat(t, kind, first); err != nil {
		return nil, s.at(err)
	}
	if !header {
		s.pending = first
	}
	s.lines.quotes = kind == CSV
	for range t.Skip {
		if _, err := s.line(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkFields holds the names of fields against the format that was found.
func (s *scanner) checkFields(f Format, first []byte) error {
	problems := s.trace.checkFields(f)
	for i, err := range problems {
		if f == CSV {
			err = fmt.Errorf("%w; the header is %s", err, message.Quote(first))
		}
		problems[i] = s.at(err)
	}
	if len(problems) == 0 {
		return nil
	}
	return LineErrors(problems)
}

// at puts the place before an error.
func (s *scanner) at(err error) error {
	return fmt.Errorf("%s:%d: %w", s.lines.src.name, s.lines.number, err)
}

func (s *scanner) line() ([]byte, error) {
	if first := s.pending; first != nil {
		s.pending = nil
		return first, nil
	}
	return s.lines.next()
}

// next gives the next entry; io.EOF after the last. Bad lines are left out, as many as the trace allows; the next one
// is collected, with others after it, into a LineErrors, with which the scan is over.
func (s *scanner) next() (entry, error) {
	if s.trace.Limit > 0 && s.used >= s.trace.Limit {
		return entry{}, io.EOF
	}
	line, err := s.line()
	if err != nil {
		return entry{}, err
	}
	r, err := s.format.record(line)
	for err != nil {
		if err = s.at(err); !s.leaveOut(err) {
			return entry{}, s.collect(err)
		}
		if line, err = s.line(); err != nil {
			return entry{}, err
		}
		r, err = s.format.record(line)
	}
	s.used++
	return entry{at: r.at.us, file: s.lines.src, line: s.lines.number, key: s.intern(r.key), cost: r.cost,
		whole: r.at.whole}, nil
}

// leaveOut reports whether one bad line more may be left out.
func (s *scanner) leaveOut(bad error) bool {
	if s.leftOut.count >= s.trace.Bad {
		return false
	}
	if s.leftOut.count++; len(s.leftOut.shown) < maxBadShown {
		s.leftOut.shown = append(s.leftOut.shown, bad)
	}
	return true
}

// maxBadShown is how many of the bad lines that are left out are shown.
const maxBadShown = 3

// collect looks for more bad lines after the first.
func (s *scanner) collect(first error) error {
	found := LineErrors{s.advise(first)}
	s.used++
	for range errorHorizon {
		if len(found) == maxLineErrors {
			break
		}
		if s.trace.Limit > 0 && s.used >= s.trace.Limit {
			break
		}
		s.used++
		line, err := s.line()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				found = append(found, err)
			}
			break
		}
		if _, err := s.format.record(line); err != nil {
			found = append(found, s.at(err))
		}
	}
	return found
}

// advise says with a bad line how to do without it. Where no line before it was good it says nothing: then the trace is
// read in the wrong way.
func (s *scanner) advise(bad error) error {
	if s.used == 0 {
		return bad
	}
	if s.lines.cut {
		return fmt.Errorf("%w; the file ends within this line: is it cut short, or still being written? "+
			"--trace-bad %d, or bad: %d in a scenario, leaves the line out", bad, s.leftOut.count+1, s.leftOut.count+1)
	}
	more := max(10, 10*s.leftOut.count)
	return fmt.Errorf("%w; --trace-bad %d, or bad: %d in a scenario, leaves out such lines", bad, more, more)
}

func (s *scanner) intern(key []byte) string {
	if k, ok := s.keys[string(key)]; ok {
		return k
	}
	if len(s.keys) >= maxInterned {
		clear(s.keys)
	}
	k := string(key)
	s.keys[k] = k
	return k
}

package traffic

import (
	"errors"
	"fmt"
	"io"

	"ratelab/internal/message"
)

const (
	// maxBadShown is how many of the bad lines that are left out are shown.
	maxBadShown = 3
	// maxInterned bounds the table of keys seen, which saves an allocation per line.
	maxInterned = 1 << 18
)

// traceFile is one file of a trace, whose requests come out in the order of time.
type traceFile struct {
	*text
	record
	guessed Format            // empty if the format was given
	first   []byte            // the first line, read for the format's sake, if it is a request
	keys    map[string]string // those seen
	bad     *leftOut
	sorter  reorder
	ended   bool
	head    entry // the next request, for merging
	firstUS int64 // the time of the first, which orders files where two requests have the same
}

// leftOut are the lines of a trace, in whichever of its files, that are no requests.
type leftOut struct {
	allowed int64
	count   int64
	shown   []error
}

// openFile opens a file, finds its format, and reads a CSV header.
func (t Trace) openFile(path string, bad *leftOut) (*traceFile, error) {
	x, err := t.open(path)
	if err != nil {
		return nil, err
	}
	f := &traceFile{text: x, keys: map[string]string{}, bad: bad}
	if err := f.detect(t); err != nil {
		x.Close()
		return nil, err
	}
	return f, nil
}

func (f *traceFile) detect(t Trace) error {
	first, err := f.text.next()
	if err == io.EOF {
		return fmt.Errorf("%s: the file is empty; want a trace", f.name)
	}
	if err != nil {
		return err
	}
	if t.Format == "" {
		if f.guessed, err = guess(first, t.Time); err != nil {
			return f.at(err)
		}
		t.Format = f.guessed
	}
	problems := t.checkFields()
	for i, err := range problems {
		if t.Format == CSV {
			err = fmt.Errorf("%w; the header is %s", err, message.Quote(first))
		}
		problems[i] = f.at(err)
	}
	if problems != nil {
		return errors.Join(problems...)
	}
	f.first = first
	switch t.Format {
	case Combined:
		f.format = &combinedLog{}
		if t.Key == "" {
			t.Key = "client"
		}
	case JSONL:
		f.format = newJSONL(first)
	default:
		f.first, f.quotes = nil, true
		if f.format, err = newCSV(first); err != nil {
			return f.at(err)
		}
	}
	if err := f.find(t); err != nil {
		return f.at(err)
	}
	return nil
}

// next reads on until the earliest request has left the window in which lines may be out of order; io.EOF after the
// last.
func (f *traceFile) next() (entry, error) {
	for !f.ended && !f.sorter.ready() {
		e, err := f.scan()
		if err == io.EOF {
			f.ended = true
			f.keys = nil // of many files that follow each other, those that are over need no memory
			break
		}
		if err != nil {
			return entry{}, err
		}
		if err := f.sorter.push(e); err != nil {
			return entry{}, f.at(err)
		}
	}
	if f.sorter.waiting() == 0 {
		return entry{}, io.EOF
	}
	return f.sorter.pop(), nil
}

// scan gives the next request in the order of lines; io.EOF after the last. Bad lines are left out, as many as the
// trace allows; the next one is the error, and with it the scan is over.
func (f *traceFile) scan() (e entry, err error) {
	for {
		line := f.first
		if f.first = nil; line == nil {
			if line, err = f.text.next(); err != nil {
				return entry{}, err
			}
		}
		if e, err = f.read(line); err == nil {
			return e, nil
		}
		if f.bad.count == f.bad.allowed {
			return entry{}, f.advise(err)
		}
		if f.bad.count++; len(f.bad.shown) < maxBadShown {
			f.bad.shown = append(f.bad.shown, err)
		}
	}
}

// read reads the request of a line.
func (f *traceFile) read(line []byte) (e entry, err error) {
	var at instant
	var key []byte
	if err = f.cut(line); err == nil {
		at, err = f.stamp()
	}
	if err == nil {
		key, err = f.key()
	}
	if err == nil {
		e = entry{at: at.us, whole: at.whole, file: f, line: f.number, key: f.intern(key)}
		e.cost, err = f.cost()
	}
	if err != nil {
		return entry{}, f.at(err)
	}
	return e, nil
}

// advise says with a bad line how to do without it. Where no line before it was good it says nothing: then the trace is
// read in the wrong way.
func (f *traceFile) advise(bad error) error {
	if f.sorter.seen == 0 {
		return bad
	}
	if f.cutOff {
		return fmt.Errorf("%w; the file ends within this line: is it cut short, or still being written? "+
			"--trace-bad %d, or bad: %d in a scenario, leaves the line out", bad, f.bad.count+1, f.bad.count+1)
	}
	more := max(10, 10*f.bad.count)
	return fmt.Errorf("%w; --trace-bad %d, or bad: %d in a scenario, leaves out such lines", bad, more, more)
}

func (f *traceFile) intern(key []byte) string {
	if k, ok := f.keys[string(key)]; ok {
		return k
	}
	if len(f.keys) >= maxInterned {
		clear(f.keys)
	}
	k := string(key)
	f.keys[k] = k
	return k
}

// notes tells what was found out about how the file is written.
func (f *traceFile) notes() (all []string) {
	if f.guessed != "" {
		all = append(all, "the format was guessed to be "+string(f.guessed))
	}
	if c, ok := f.format.(*combinedLog); ok && c.hosts > 0 {
		all = append(all, message.Count(c.hosts, "line")+" begin with a virtual host; the client is the field after "+
			"it, and the host a field named host")
	}
	return append(all, f.stamps.notes()...)
}

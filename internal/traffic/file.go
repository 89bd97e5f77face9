package traffic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

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
	written Format            // as the stream names it
	guessed string            // what was: the format, the time, the client
	skip    string            // the key that is left out; "": none
	skipped int64             // requests that have it
	dashes  int64             // requests whose key is a dash
	odd     string            // the first key that is no address, where those are expected
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
	f := &traceFile{text: x, keys: map[string]string{}, bad: bad, skip: t.SkipKey}
	if err := f.detect(t); err != nil {
		x.Close()
		return nil, err
	}
	return f, nil
}

// errEmpty is that of a file without a line.
var errEmpty = errors.New("the file is empty; want a trace")

// fieldsOf begins the line that names the fields of W3C's format, and comments those that may precede it.
var (
	fieldsOf = []byte("#Fields:")
	comments = regexp.MustCompile(`^#(Version|Software|Date|Start-Date|Remark):`)
)

// detect finds out how the file is written, and where its times, keys and costs stand.
func (f *traceFile) detect(t Trace) error {
	first, err := f.text.next()
	commented := false
	for err == nil && comments.Match(first) {
		commented = true
		first, err = f.text.next()
	}
	if err == io.EOF {
		return fmt.Errorf("%s: %w", f.name, errEmpty)
	}
	if err != nil {
		return err
	}
	var guessed []string
	if t.Format == "" {
		if t.Format, err = guess(first, t.Time); err != nil && commented {
			t.Format, err = W3C, nil
		}
		if err != nil {
			return f.at(err)
		}
		guessed = []string{"the format was guessed to be " + string(t.Format)}
	}
	if bytes.IndexByte(first, '\r') >= 0 {
		return f.at(fmt.Errorf("%s: a carriage return within the line; want lines that end in line feeds, as tr '\\r' "+
			"'\\n' <FILE writes them", message.Quote(first)))
	}
	problems := t.checkFields()
	for i, err := range problems {
		problems[i] = f.at(err)
	}
	if problems != nil {
		return errors.Join(problems...)
	}
	f.first, f.written = first, t.Format
	switch text := t.Format.template(); {
	case t.Format == Combined:
		f.format = &combinedLog{}
	case t.Format == JSONL:
		f.format = newJSONL(first)
	case t.Format == W3C:
		if f.first = nil; !bytes.HasPrefix(first, fieldsOf) {
			return f.at(fmt.Errorf("%s: no line #Fields: before it; want one that names the fields",
				message.Quote(first)))
		}
		f.format = newW3C(first)
	case text != "":
		f.format, err = newTemplate(text)
		if text == string(t.Format) {
			f.written = "template"
		}
	default:
		f.first, f.quotes = nil, true
		f.format, err = newCSV(first)
	}
	var taken []string
	if err == nil {
		taken, err = f.find(t)
	}
	if j, ok := f.format.(*jsonLines); ok && err != nil && j.object == nil {
		err = j.cut(first)
	}
	if c, ok := f.format.(*csvFile); ok && c != nil && err != nil && t.Time == "" {
		err = fmt.Errorf("%w; the header is %s", err, message.Quote(first))
	}
	if err != nil && f.written == CSV && guessed != nil && t.Time == "" {
		err = fmt.Errorf("%w; if it is no CSV, want %s", err, anyFormat())
	}
	if err != nil {
		return f.at(err)
	}
	if guessed = append(guessed, taken...); taken != nil && len(guessed) == len(taken) {
		guessed[0] = strings.Replace(guessed[0], " to be ", " was guessed to be ", 1)
	}
	f.guessed = strings.Join(guessed, ", ")
	return nil
}

// next reads on until the earliest request has left the window in which lines may be out of order; io.EOF after the
// last.
func (f *traceFile) next() (entry, error) {
	for !f.ended && !f.sorter.ready() {
		err := f.scan()
		if err == io.EOF {
			f.ended = true
			f.keys = nil // of many files that follow each other, those that are over need no memory
			break
		}
		if err != nil {
			return entry{}, err
		}
	}
	if f.sorter.waiting() == 0 {
		return entry{}, io.EOF
	}
	return f.sorter.pop(), nil
}

// scan puts the next request in the order of lines into the sorter; io.EOF after the last. Bad lines, and those that
// are too late, are left out, as many as the trace allows; the next one is the error, and with it the scan is over.
func (f *traceFile) scan() (err error) {
	for {
		line := f.first
		if f.first = nil; line == nil {
			if line, err = f.text.next(); err != nil {
				return err
			}
		}
		var e entry
		if e, err = f.read(line); err == nil && (f.skip == "" || e.key != f.skip) {
			if err = f.sorter.push(e); err == nil {
				return nil
			}
			err = f.at(err)
		}
		switch {
		case err == nil:
			f.skipped++
			continue
		case errors.Is(err, errComment):
			continue
		case f.bad.count == f.bad.allowed:
			return f.advise(err)
		}
		if f.bad.count++; len(f.bad.shown) < maxBadShown {
			f.bad.shown = append(f.bad.shown, err)
		}
	}
}

// read reads the request of a line.
func (f *traceFile) read(line []byte) (e entry, err error) {
	var at instant
	if err = f.cut(line); err == nil {
		at, err = f.stamp()
	}
	if err == nil {
		e.key, err = f.named()
	}
	if err == nil {
		e.at, e.whole, e.file, e.line = at.us, at.whole, f, f.number
		var cost int64
		cost, err = f.cost()
		e.cost = int32(cost) // at most MaxCost
	}
	if err != nil {
		return entry{}, f.at(err)
	}
	if e.key == "-" && f.skip != "-" {
		f.dashes++
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

// named is the line's key. The value of one field that is a known key is right as it is.
func (f *traceFile) named() (string, error) {
	if len(f.record.keys) == 1 {
		key, err := f.value(f.record.keys[0])
		if known, ok := f.keys[string(key)]; ok && err == nil {
			return known, nil
		}
	}
	key, err := f.key()
	if err != nil {
		return "", err
	}
	return f.intern(key), nil
}

func (f *traceFile) intern(key []byte) string {
	if k, ok := f.keys[string(key)]; ok {
		return k
	}
	if len(f.keys) >= maxInterned {
		clear(f.keys)
	}
	k := string(key)
	if f.expects && f.odd == "" && k != "-" && !isAddress(key) {
		f.odd = k
	}
	f.keys[k] = k
	return k
}

// notes tells what was found out about how the file is written.
func (f *traceFile) notes() (all []string) {
	add := func(n int64, format string, args ...any) {
		if n > 0 {
			all = append(all, message.Count(n, "line")+message.Verb(int(n), " has ", " have ")+
				fmt.Sprintf(format, args...))
		}
	}
	if f.guessed != "" {
		all = append(all, f.guessed)
	}
	if c, ok := f.format.(*combinedLog); ok {
		add(c.prefixed, "other words before the client, as %s; the client is the first address, and the field host "+
			"is the first word", message.Quote(c.prefix))
	}
	add(f.repaired[0], "a port or brackets at the key's address, as %s; the key is the address",
		message.Quote(f.example[0]))
	add(f.repaired[1], "a list of addresses as the key, as %s; the key is the first", message.Quote(f.example[1]))
	add(f.dashes, "the key -, which stands for no value; --trace-skip-key - leaves them out")
	if n := f.skipped; n > 0 {
		all = append(all, fmt.Sprintf("%s with the key %s %s left out (--trace-skip-key)", message.Count(n, "request"),
			message.Quote(f.skip), message.Verb(int(n), "was", "were")))
	}
	if f.odd != "" {
		all = append(all, fmt.Sprintf("clients are no addresses, as %s; --trace-key takes another field",
			message.Quote(f.odd)))
	}
	return append(all, f.stamps.notes()...)
}

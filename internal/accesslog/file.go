package accesslog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"slices"
	"strings"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
)

// maxBadShown is how many of the bad lines that are left out are shown.
const maxBadShown = 3

// sampled is of how many bytes the line is taken that shows the fields of JSON.
const sampled = 64 << 10

// traceFile is one file of a trace, whose requests come out in the order of time.
type traceFile struct {
	*text
	blocks
	fields  *fields // of the first block, before there is one
	stamps  stamps  // of the first block that has any
	trace   Trace   // its format is known
	layout  *layout
	first   []byte      // line
	reverse string      // how to reverse the lines after a header
	later   bool        // first is not the first line, but one that tells more
	guessed string      // the format, the time, the client
	year    string      // a note
	hint    string      // a note
	spans   string      // a note
	proxy   string      // the name of an X-Forwarded-For
	marked  [noted]Note // lines, by mark
	lastUS  int64       // the last line's time
	shared  *shared
	take    func(entry) error // where the requests go, in the order of lines
	sorter  reorder
	over    bool
	head    entry // the next request, for merging
	firstUS int64 // the time of the first, which orders files where two requests have the same
}

// shared is what the files of a trace share: the lines that are no requests, and how many blocks may be read ahead.
type shared struct {
	allowed, count int64
	shown          []string
	spare          int // fewer than none, where files take one that need it
}

// openFile opens a file, finds its format, and reads a header. Its errors name the file.
func (t Trace) openFile(path string, all *shared) (*traceFile, error) {
	name := message.Path(t.nameOf(path))
	if t.Stdin != nil && path == StandardInput {
		// Every pass reads from the beginning, whatever others read meanwhile.
		return t.newFile(name, io.NopCloser(io.NewSectionReader(t.Stdin, 0, t.Stdin.Size())), all)
	}
	file, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrInvalid) { // every algorithm reads the trace anew, which a pipe cannot offer
		err = fmt.Errorf("%w; want a trace that can be read several times", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t.newFile(name, file, all)
}

// newFile is a file of that name. It is closed where it cannot be read.
func (t Trace) newFile(name string, in io.ReadCloser, all *shared) (*traceFile, error) {
	f := &traceFile{text: &text{Closer: in, records: records{name: name}}, shared: all}
	f.take = f.sorter.push
	err := f.unpack(bufio.NewReaderSize(in, 64<<10))
	if err == nil {
		err = f.detect(t)
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return f, nil
}

// Detect reads the beginning of standard input, and fails if it is not in the trace's format.
func (t Trace) Detect() error {
	f, err := t.openFile(StandardInput, nil)
	if err == nil {
		err = f.Close()
	}
	return err
}

// reader reads the fields of the lines of one block, while others read those of other blocks.
func (f *traceFile) reader() *fields {
	r := f.fields
	if f.fields = nil; r == nil {
		r, _ = f.layout.fields(f.trace, f.first) // which went well once
		r.stamps, r.stamps.text = f.stamps, nil
	}
	return r
}

// ErrEmpty is that of a file without a line.
var ErrEmpty = errors.New("the file is empty; want a trace")

// detect finds out how the file is written, and where its times, keys and costs stand.
func (f *traceFile) detect(t Trace) error {
	commented := false
	first, err := f.headRecord()
	for ; err == nil && comments.Match(first); first, err = f.headRecord() {
		commented = true
	}
	if err == io.EOF {
		return fmt.Errorf("%s: %w", f.name, ErrEmpty)
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
		guessed = []string{"the format to be " + string(t.Format)}
	}
	if bytes.IndexByte(first, '\r') >= 0 {
		return f.at(fmt.Errorf("%s: a carriage return within the line; want lines that end in line feeds, as tr '\\r' "+
			"'\\n' <FILE writes them", message.Quote(first)))
	}
	var problems []error
	for _, p := range t.checkFields() {
		problems = append(problems, f.at(p))
	}
	if problems != nil {
		return errors.Join(problems...)
	}
	f.trace, f.layout, f.first = t, t.Format.layout(), bytes.Clone(first)
	if f.quotes = f.layout.quotes; f.layout.header {
		f.reverse = fmt.Sprintf("(head -n %d FILE; tail -n +%d FILE | tac)", f.number, f.number+1)
	} else { // the line is a request
		f.data = slices.Concat(first, []byte{'\n'}, f.data)
		f.lines--
	}
	if t.Format == "jsonl" {
		f.data = f.fill(f.data, sampled)
		sample, err := f.sample(t)
		if err != nil {
			return f.at(err)
		}
		if f.later = sample != nil && !bytes.Equal(sample, f.first); f.later {
			f.first = sample
		}
	}
	if f.fields, err = f.layout.fields(t, f.first); err == nil {
		err = f.setYear(t)
	}
	if err != nil {
		if t.Format == CSV && guessed != nil && t.Time == "" && t.Where == nil {
			err = fmt.Errorf("%w; if it is no CSV, want %s", err, anyFormat())
		}
		return f.at(err)
	}
	text := strings.Join(append(guessed, f.fields.taken...), ", ")
	f.guessed = strings.Replace(text, " to be ", " was guessed to be ", 1)
	f.hint, f.proxy, f.spans = f.fields.hint, f.fields.proxy, f.fields.spans.note
	return nil
}

// sample is the line among the first ones that tells most: one that the trace's filters let through, with a time and a
// client. Servers begin their logs with lines about their start.
func (f *traceFile) sample(t Trace) (best []byte, err error) {
	most := 0
	for line := range bytes.Lines(f.data[:min(len(f.data), sampled)]) {
		line = bytes.TrimSpace(line)
		j, err := openJSON(line)
		r := &fields{format: j}
		if err != nil || r.filter(t) != nil || !r.lets() {
			continue
		}
		points := 1
		if t.Time != "" || known(j, timeNames) != "" {
			points += 2
		}
		if t.Key != "" || known(j, clientNames) != "" {
			points++
		}
		if points > most {
			best, most = bytes.Clone(line), points
		}
		if most == 4 {
			break
		}
	}
	if most == 0 && t.Where != nil && f.ended == io.EOF {
		first, _ := openJSON(f.first)
		err = &FieldError{"where", fmt.Sprintf("no line has %s; the first line's fields are %s",
			strings.Join(t.Where, " and "), fieldList(first))}
	}
	return best, err
}

// setYear sets the year of a layout that has none.
func (f *traceFile) setYear(t Trace) error {
	l := f.fields.stamps.layout
	switch {
	case l == nil || l.has("Yy"):
		if t.Year != 0 {
			return &FieldError{"year", "the times have a year; leave the field out"}
		}
		return nil
	case t.Year != 0:
		l.year = int(t.Year)
		f.year = fmt.Sprintf("times name no year; %d was taken, as --trace-year says", l.year)
		return nil
	}
	file, ok := f.text.Closer.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return &FieldError{"time", "the layout has no year; want --trace-year, or year in a scenario"}
	}
	about, err := file.Stat()
	if err == nil {
		changed := about.ModTime().UTC()
		l.year, l.latestUS = changed.Year(), changed.AddDate(0, 0, 1).UnixMicro()
		f.year = fmt.Sprintf("times name no year; %d was taken, that of the file's last change, and the year before "+
			"for later times; --trace-year names another", l.year)
	}
	return err
}

// earliest takes the next request in the order of time; io.EOF after the last. It reads on until that request has left
// the window in which lines may be out of order.
func (f *traceFile) earliest() (entry, error) {
	for !f.over && !f.sorter.ready() {
		switch err := f.scan(); {
		case err == io.EOF:
			f.over = true
			f.drop() // of many files that follow each other, those that are over need no memory
		case err != nil:
			return entry{}, err
		}
	}
	if f.sorter.waiting() == 0 {
		return entry{}, io.EOF
	}
	return f.sorter.pop(), nil
}

// scan takes the next request in the order of lines; io.EOF after the last. Bad lines, and those that
// are too late, are left out, as many as the trace allows; the next one is the error, and with it the scan is over.
func (f *traceFile) scan() error {
	for {
		e, err := f.line()
		if err != nil {
			return err
		}
		if e.at >= 0 {
			f.lastUS = e.at
		}
		for left := e.marks; left != 0; left &= left - 1 {
			kind := bits.TrailingZeros16(left)
			note := &f.marked[kind]
			if note.N++; note.N == 1 && kind < len(ofLines) {
				example := message.Quote(f.now.firsts[kind])
				if kind == filtered { // it may list fields
					example = message.Visible(f.now.firsts[kind])
				}
				note.Text = strings.NewReplacer("%s", example, "FIELD", f.proxy).Replace(ofLines[kind])
			}
		}
		switch {
		case e.marks&(1<<bad) != 0:
			err, f.now.errs = f.now.errs[0], f.now.errs[1:]
		case e.marks&(1<<skipped|1<<filtered|1<<costless) != 0:
			continue
		default:
			if err = f.take(*e); err == nil {
				return nil
			}
			if f.sorter.newestFirst() {
				err = fmt.Errorf("the lines so far are newest first; reverse them with %s",
					cmp.Or(f.reverse, "tac FILE"))
			}
			err = fmt.Errorf("%s:%d: %w", f.name, e.line, err)
			if f.sorter.newestFirst() && (f.sorter.falling > 1 || f.shared.count == f.shared.allowed) {
				return err
			}
		}
		if f.shared.count == f.shared.allowed {
			return f.advise(err, e)
		}
		if f.shared.count++; len(f.shared.shown) < maxBadShown {
			f.shared.shown = append(f.shared.shown, err.Error())
		}
	}
}

// advise says with a bad line how to do without it. Where no line before it was good it says nothing: then the trace is
// read in the wrong way.
func (f *traceFile) advise(bad error, e *entry) error {
	if f.sorter.seen == 0 && !f.later {
		return bad
	}
	if e.marks&(1<<cutOff) != 0 {
		return fmt.Errorf("%w; the file ends within this line: is it cut short, or still being written? "+
			"--trace-bad %d, or bad: %d in a scenario, leaves the line out", bad, f.shared.count+1, f.shared.count+1)
	}
	more := max(10, 10*f.shared.count)
	return fmt.Errorf("%w; --trace-bad %d, or bad: %d in a scenario, leaves out such lines", bad, more, more)
}

// found is what was found out about how the file is written.
func (f *traceFile) found() *Found {
	f.marked[odd].N = 0 // that is true of the log
	return &Found{Name: f.name, Format: f.layout.name, Lines: f.lines, Requests: f.sorter.seen,
		OutOfOrder: f.sorter.outOfOrder, QuotesGoOn: f.marked[goesOn].N > 0,
		Notes: slices.Concat([]Note{{Text: f.guessed}}, f.marked[:len(ofLines)],
			[]Note{{Text: f.stamps.note(f.lastUS)}, {Text: f.year}, {Text: f.hint}, {Text: f.spans}})}
}

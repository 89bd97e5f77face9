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

// maxBadShown is how many of the bad lines that were left out are shown.
const maxBadShown = 3

// sampled is how many bytes at the start of a JSON file are searched for the line that shows its fields.
const sampled = 64 << 10

// traceFile is one file of a trace. It returns its requests in the order of time.
type traceFile struct {
	*text
	blocks
	fields  *fields // the reader that detect made; the first block takes it
	stamps  stamps  // from the first block with a time
	trace   Trace   // with its format set
	layout  *layout
	first   []byte      // the line that shows the fields, usually the first line
	reverse string      // the shell command that reverses the lines after a header
	later   bool        // first is not the file's first line, but a later one that shows more fields
	guessed string      // a note about the guessed format, time and client
	year    string      // a note
	hint    string      // a note
	spans   string      // a note about how long requests take
	proxy   string      // the name of the X-Forwarded-For field
	marked  [noted]Note // notes about lines, by mark
	lastUS  int64       // the time of the last line
	shared  *shared
	take    func(entry) error // takes the requests in the order of lines
	sorter  reorder
	over    bool
	head    entry // the next request, for merging
	firstUS int64 // the time of the file's first request, which orders files if two requests have the same time
}

// shared is the state that the files of a trace share: the lines that are not requests, and how many blocks may be read
// ahead.
type shared struct {
	allowed, count int64
	shown          []string
	spare          int // negative if files had to take more blocks than allowed
}

// openFile opens a file, finds its format, and reads its header. Its errors name the file.
func (t Trace) openFile(path string, all *shared) (*traceFile, error) {
	name := message.Path(t.nameOf(path))
	if t.Stdin != nil && path == StandardInput {
		// Each pass reads from the beginning, independently of other readers.
		return t.newFile(name, io.NopCloser(io.NewSectionReader(t.Stdin, 0, t.Stdin.Size())), all)
	}
	file, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrInvalid) { // each algorithm reads the whole trace again, which a pipe does not allow
		err = fmt.Errorf("%w; want a trace that can be read several times", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t.newFile(name, file, all)
}

// newFile returns a file with that name, which reads from in. It closes in if the file cannot be read.
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

// Detect reads the beginning of standard input. It returns an error if the text is not in the trace's format.
func (t Trace) Detect() error {
	f, err := t.openFile(StandardInput, nil)
	if err == nil {
		err = f.Close()
	}
	return err
}

// reader returns a reader for the fields of one block. Each block needs its own, since blocks are parsed in parallel.
func (f *traceFile) reader() *fields {
	r := f.fields
	if f.fields = nil; r == nil {
		r, _ = f.layout.fields(f.trace, f.first) // it cannot fail: it has worked before
		r.stamps, r.stamps.text = f.stamps, nil
	}
	return r
}

// ErrEmpty is the error of a file without lines.
var ErrEmpty = errors.New("the file is empty; want a trace")

// detect finds the format of the file and the fields with the time, the key and the cost.
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
			err = fmt.Errorf("%w; if it is not CSV, want %s", err, anyFormat())
		}
		return f.at(err)
	}

	text := strings.Join(append(guessed, f.fields.taken...), ", ")
	f.guessed = strings.Replace(text, " to be ", " was guessed to be ", 1)
	f.hint, f.proxy, f.spans = f.fields.hint, f.fields.proxy, f.fields.spans.note
	return nil
}

// sample returns the most informative of the first lines: a line that the trace's filters accept, with a time and a
// client. The first line is often not enough, since servers begin their logs with lines about their start.
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
		f.year = fmt.Sprintf("times have no year; %d was used, as --trace-year says", l.year)
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
		f.year = fmt.Sprintf("times have no year; %d was used, the year of the file's last change (the year before "+
			"for later times); --trace-year sets another", l.year)
	}
	return err
}

// earliest returns the next request in the order of time, and io.EOF after the last one. It reads ahead until that
// request has left the window in which lines may be out of order.
func (f *traceFile) earliest() (entry, error) {
	for !f.over && !f.sorter.ready() {
		switch err := f.scan(); {
		case err == io.EOF:
			f.over = true
			f.drop() // free the memory: many files may follow each other
		case err != nil:
			return entry{}, err
		}
	}
	if f.sorter.waiting() == 0 {
		return entry{}, io.EOF
	}
	return f.sorter.pop(), nil
}

// scan reads the next request in the order of lines and passes it to take. After the last request it returns io.EOF. It
// leaves out bad lines and lines that are too late, as many as the trace allows. The next such line is an error, which
// ends the scan.
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
				if kind == filtered { // it may be a list of fields
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

// advise adds to a bad line's error how to leave such lines out. If no line before it was good, advise adds nothing:
// then the trace is probably read in the wrong format.
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

// found returns the findings about the format and the lines of the file.
func (f *traceFile) found() *Found {
	f.marked[odd].N = 0 // the note concerns the whole log, not a number of lines
	return &Found{Name: f.name, Format: f.layout.name, Lines: f.lines, Requests: f.sorter.seen,
		OutOfOrder: f.sorter.outOfOrder, QuotesGoOn: f.marked[goesOn].N > 0,
		Notes: slices.Concat([]Note{{Text: f.guessed}}, f.marked[:len(ofLines)],
			[]Note{{Text: f.stamps.note(f.lastUS)}, {Text: f.year}, {Text: f.hint}, {Text: f.spans}})}
}

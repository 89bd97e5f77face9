package traffic

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"ratelab/internal/message"
)

// maxLine bounds a line, and with it the memory that one line can claim.
const maxLine = 1 << 20

// text is one file of a trace, plain or gzip, cut into records: lines, or, where a CSV quote spans them, several lines
// at once.
type text struct {
	io.Closer
	name    string
	in      io.Reader
	zipped  bool
	read    int64 // bytes so far, unpacked
	failed  error // why no more can be read
	records *bufio.Scanner
	quotes  bool  // an odd number of double quotes continues on the next line
	number  int64 // of the record's first line, from 1
	lines   int64 // read so far
	cutOff  bool  // the last of them has no end
}

// open opens one of a trace's files. Its errors name the file and are one line each.
func (t Trace) open(path string) (*text, error) {
	if t.Stdin != nil && path == StandardInput {
		// Every pass reads from the beginning, whatever others read meanwhile.
		return newText(t.nameOf(path), io.NopCloser(io.NewSectionReader(t.Stdin, 0, t.Stdin.Size())))
	}
	name := message.Path(path)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, message.Unreadable(err))
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		// Every algorithm reads the trace anew, which a pipe cannot offer.
		return nil, fmt.Errorf("%s: not a regular file; want a trace that can be read several times", name)
	}
	return newText(name, file)
}

// newText finds out what the bytes are. It closes the file where they cannot be read.
func newText(name string, file io.ReadCloser) (*text, error) {
	x := &text{Closer: file, name: name}
	if err := x.detect(bufio.NewReaderSize(file, 64<<10)); err != nil {
		file.Close()
		return nil, err
	}
	x.records = bufio.NewScanner(x)
	x.records.Buffer(make([]byte, 64<<10), maxLine+2)
	x.records.Split(x.split)
	return x, nil
}

// magics are first bytes that tell what a trace must not be.
var magics = []struct{ magic, what string }{
	{"\x28\xb5\x2f\xfd", "zstd data; unpack it first (gzip is read as it is)"},
	{"BZh", "bzip2 data; unpack it first (gzip is read as it is)"},
	{"\xfd7zXZ\x00", "xz data; unpack it first (gzip is read as it is)"},
	{"\x1f\x8b", "gzip data within gzip data; unpack it once"},
	{"PK\x03\x04", "a zip archive; unpack it first (gzip is read as it is)"},
	{"PAR1", "a Parquet file; want a combined log, CSV or JSON lines"},
	{"\xff\xfe", "UTF-16 text; want UTF-8"},
	{"\xfe\xff", "UTF-16 text; want UTF-8"},
}

func (x *text) detect(in *bufio.Reader) error {
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		x.zipped = true
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return x.broken(err)
		}
		in = bufio.NewReader(unzip)
	}
	x.in = in
	head, _ := in.Peek(8)
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return fmt.Errorf("%s: this is %s", x.name, m.what)
		}
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // a byte order mark, which spreadsheets write
		in.Discard(3)
	}
	return nil
}

// Read implements io.Reader for the scanner of records.
func (x *text) Read(b []byte) (int, error) {
	n, err := x.in.Read(b)
	x.read += int64(n)
	if err != nil && err != io.EOF {
		x.failed = x.broken(err)
		err = x.failed
	}
	return n, err
}

// broken words an error of reading.
func (x *text) broken(err error) error {
	switch {
	case !x.zipped:
		return fmt.Errorf("%s: %w", x.name, message.Unreadable(err))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the gzip data end too early, after %s bytes of text; want the whole file", x.name,
			message.Grouped(x.read))
	}
	return fmt.Errorf("%s: the gzip data are damaged after %s bytes of text; want an intact file", x.name,
		message.Grouped(x.read))
}

// next returns the next record that is not blank, without its line end; it is valid until the call after. At the
// end the error is io.EOF; every other error names the file.
func (x *text) next() ([]byte, error) {
	for x.records.Scan() {
		record := x.records.Bytes()
		x.number = x.lines + 1
		x.lines++
		if x.quotes {
			x.lines += int64(bytes.Count(record, []byte{'\n'}))
		}
		if len(bytes.TrimSpace(record)) > 0 {
			return record, nil
		}
	}
	if err := x.records.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// split implements bufio.SplitFunc.
func (x *text) split(data []byte, atEnd bool) (advance int, record []byte, err error) {
	open := false // whether there is a quote that the lines so far do not close
	for end := bytes.IndexByte(data, '\n'); end >= 0; {
		line := data[advance:end]
		advance = end + 1
		if open = open != (x.quotes && bytes.Count(line, []byte{'"'})%2 != 0); !open {
			return advance, bytes.TrimSuffix(data[:end], []byte{'\r'}), nil
		}
		if end = bytes.IndexByte(data[advance:], '\n'); end >= 0 {
			end += advance
		}
	}
	switch long := len(data) > maxLine; {
	case long && !open:
		return 0, nil, fmt.Errorf("%s:%d: the line is longer than 1 MiB: %s; want a text file of one request per line",
			x.name, x.lines+1, message.Quote(data))
	case !long && (!atEnd || x.failed != nil || len(data) == 0):
		return 0, nil, nil
	case long || open != (x.quotes && bytes.Count(data[advance:], []byte{'"'})%2 != 0):
		return 0, nil, fmt.Errorf("%s:%d: a quote is never closed: %s; want \"\" for each quote inside quotes",
			x.name, x.lines+1, message.Quote(bytes.TrimSuffix(data, []byte{'\n'})))
	}
	x.cutOff = true // the last line may lack its end
	return len(data), bytes.TrimSuffix(data, []byte{'\r'}), nil
}

// at puts the place before an error.
func (x *text) at(err error) error { return fmt.Errorf("%s:%d: %w", x.name, x.number, err) }

package accesslog

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"ratelab/internal/message"
)

// maxLine is the longest line in bytes. It bounds the memory that one line can take.
const maxLine = 1 << 20

// text is one file of a trace, plain or gzip.
type text struct {
	io.Closer
	records // already read, but not yet in a block
	in      io.Reader
	zipped  bool
	read    int64 // unpacked bytes so far
}

// records splits a piece of a file into records. A record is a line, or several lines if a CSV quote spans them.
type records struct {
	name   string
	quotes bool // a line with an odd number of double quotes continues on the next line
	data   []byte
	ended  error // io.EOF or an error after the data; nil: more data follows
	number int64 // of the record's first line, from 1
	lines  int64 // of the file, before the data
	cutOff bool  // the last line has no line end
}

// magics are the first bytes of files that are not traces.
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

// unpack detects gzip and unpacks it. It returns an error for other binary data.
func (x *text) unpack(in *bufio.Reader) error {
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		x.zipped = true
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return x.broken(err)
		}
		unzip.Multistream(false)
		in = bufio.NewReader(members{unzip, in})
	}
	x.in = in
	head, _ := in.Peek(8)
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return fmt.Errorf("%s: this is %s", x.name, m.what)
		}
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // a byte order mark, as spreadsheets write it
		in.Discard(3)
	}
	return nil
}

// errTrailing is the error of other bytes after gzip data.
var errTrailing = errors.New("trailing bytes")

// members reads gzip files that follow each other. Unlike gzip.Reader, it distinguishes other bytes after the data from
// damaged data.
type members struct {
	*gzip.Reader
	in *bufio.Reader
}

func (m members) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if err != io.EOF {
		return n, err
	}
	switch next, _ := m.in.Peek(2); {
	case len(next) == 0:
		return n, io.EOF
	case string(next) != "\x1f\x8b":
		return n, errTrailing
	}
	err = m.Reset(m.in)
	m.Multistream(false)
	return n, err
}

// fill reads until b has size bytes or the file ends.
func (x *text) fill(b []byte, size int) []byte {
	b = slices.Grow(b, max(size-len(b), 0))
	for len(b) < size && x.ended == nil {
		n, err := x.in.Read(b[len(b):size])
		b = b[:len(b)+n]
		if x.read += int64(n); err != nil && err != io.EOF {
			err = x.broken(err)
		}
		x.ended = err
	}
	return b
}

// headRecord returns the next record at the beginning of the file, before blocks are read.
func (x *text) headRecord() ([]byte, error) {
	for size := blockSize; ; size = maxLine + 2 {
		x.data = x.fill(x.data, size)
		if record, err := x.takeRecord(); record != nil || err != nil {
			return record, err
		}
	}
}

// take returns the next piece of the file, which ends at the end of a record. It reuses the buffer of an older piece.
// If a record is too long, nothing follows it.
func (x *text) take(old []byte) records {
	b := x.records
	b.data, x.data = append(old[:0], x.data...), x.data[:0]
	end := 0
	for size := blockSize; end == 0 && x.ended == nil; size *= 2 {
		b.data = x.fill(b.data, size)
		if end = b.end(); end == 0 && len(b.data) >= maxLine+2 {
			x.ended = io.EOF
		}
	}
	if b.ended = x.ended; b.ended == nil {
		b.data, x.data = b.data[:end], append(x.data, b.data[end:]...)
	}
	x.lines += int64(bytes.Count(b.data, []byte{'\n'}))
	return b
}

// end returns where the last complete record ends, or 0 if no record is complete.
func (r *records) end() int {
	open := r.quotes && bytes.Count(r.data, []byte{'"'})%2 != 0
	for end := len(r.data); ; {
		i := bytes.LastIndexByte(r.data[:end], '\n') + 1
		open = open != (r.quotes && bytes.Count(r.data[i:end], []byte{'"'})%2 != 0)
		if i == 0 || !open {
			return i
		}
		end = i - 1
	}
}

// broken returns a read error in words for users.
func (x *text) broken(err error) error {
	switch {
	case !x.zipped:
		return fmt.Errorf("%s: %w", x.name, message.Unreadable(err))
	case errors.Is(err, errTrailing):
		return fmt.Errorf("%s: other bytes follow the gzip data, after %s bytes of text; want the gzip data alone",
			x.name, message.Grouped(x.read))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the gzip data end too early, after %s bytes of text; want the whole file", x.name,
			message.Grouped(x.read))
	}
	return fmt.Errorf("%s: the gzip data are damaged after %s bytes of text; want an intact file", x.name,
		message.Grouped(x.read))
}

// takeRecord returns the next record that is not blank, without its line end. If no record is left, the error is
// r.ended, which is nil if more data follows. Every error except io.EOF names the file.
func (r *records) takeRecord() ([]byte, error) {
	for {
		size, record, err := r.split(r.data[:min(len(r.data), maxLine+2)])
		if size == 0 {
			return nil, cmp.Or(err, r.ended)
		}
		r.data = r.data[size:]
		r.number = r.lines + 1
		r.lines++
		if r.quotes {
			r.lines += int64(bytes.Count(record, []byte{'\n'}))
		}
		if len(bytes.TrimSpace(record)) > 0 {
			return record, nil
		}
	}
}

// split returns the first record of data. advance is 0 if the record is not complete.
func (r *records) split(data []byte) (advance int, record []byte, err error) {
	open := false // the lines so far have an unclosed quote
	for n := bytes.IndexByte(data, '\n'); n >= 0; n = bytes.IndexByte(data[advance:], '\n') {
		line := data[advance : advance+n]
		advance += n + 1
		if open = open != (r.quotes && bytes.Count(line, []byte{'"'})%2 != 0); !open {
			return advance, bytes.TrimSuffix(data[:advance-1], []byte{'\r'}), nil
		}
	}
	switch long := len(data) > maxLine; {
	case long && !open:
		return 0, nil, fmt.Errorf("%s:%d: the line is longer than 1 MiB: %s; want a text file of one request per line",
			r.name, r.lines+1, message.Quote(data))
	case !long && (r.ended != io.EOF || len(data) == 0):
		return 0, nil, nil
	case long || open != (r.quotes && bytes.Count(data[advance:], []byte{'"'})%2 != 0):
		return 0, nil, fmt.Errorf("%s:%d: a quote is never closed: %s; want \"\" for each quote inside quotes",
			r.name, r.lines+1, message.Quote(bytes.TrimSuffix(data, []byte{'\n'})))
	}
	r.cutOff = true // the last line may lack its line end
	return len(data), bytes.TrimSuffix(data, []byte{'\r'}), nil
}

// at puts file and line before an error.
func (r *records) at(err error) error { return fmt.Errorf("%s:%d: %w", r.name, r.number, err) }

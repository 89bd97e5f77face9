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

const (
	// maxLine bounds a line, and with it the memory that one line can claim.
	maxLine = 1 << 20
	// A gzip file that unpacks to more than maxRatio times its size, looked at once freeFirst bytes are out, is
	// taken for a bomb. Access logs reach 10 to 40; deflate's own limit is 1032.
	maxRatio  = 200
	freeFirst = 64 << 20
)

// source reads a trace's bytes: it opens the file, unpacks gzip, and refuses what is not text.
type source struct {
	name   string
	close  func() error
	packed *counter
	out    int64
	unzip  *gzip.Reader // nil where the file is plain
	in     *bufio.Reader
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// open opens one of a trace's files. Its errors name the file and are one line each.
func (t Trace) open(path string) (*source, error) {
	if t.Stdin != nil && path == StandardInput {
		// Every pass reads from the beginning, whatever others read meanwhile.
		all := io.NewSectionReader(t.Stdin, 0, t.Stdin.Size())
		return newSource(t.nameOf(path), all, func() error { return nil })
	}
	return openSource(path)
}

func openSource(name string) (*source, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, openError(name, err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		// Every algorithm reads the trace anew, which a pipe cannot offer.
		return nil, fmt.Errorf("%s: not a regular file; want a trace that can be read several times",
			message.Path(name))
	}
	return newSource(message.Path(name), file, file.Close)
}

// newSource finds out what the bytes are. It closes them where they cannot be read.
func newSource(name string, bytes io.Reader, closeIt func() error) (*source, error) {
	s := &source{name: name, close: closeIt, packed: &counter{r: bytes}}
	s.in = bufio.NewReaderSize(s.packed, 64<<10)
	if err := s.detect(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func openError(name string, err error) error {
	return fmt.Errorf("%s: %w", message.Path(name), message.Unreadable(err))
}

// magics are first bytes that tell what a trace must not be.
var magics = []struct{ magic, what string }{
	{"\x28\xb5\x2f\xfd", "zstd data; unpack it first (gzip is read as it is)"},
	{"BZh", "bzip2 data; unpack it first (gzip is read as it is)"},
	{"\xfd7zXZ\x00", "xz data; unpack it first (gzip is read as it is)"},
	{"PK\x03\x04", "a zip archive; unpack it first (gzip is read as it is)"},
	{"PAR1", "a Parquet file; want a combined log, CSV or JSON lines"},
	{"\xff\xfe", "UTF-16 text; want UTF-8"},
	{"\xfe\xff", "UTF-16 text; want UTF-8"},
}

func (s *source) detect() error {
	if head, _ := s.in.Peek(2); string(head) == "\x1f\x8b" {
		unzip, err := gzip.NewReader(s.in)
		if err != nil {
			return s.broken(err)
		}
		s.unzip = unzip
		s.in = bufio.NewReaderSize(s, 64<<10)
	}
	head, _ := s.in.Peek(8)
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return fmt.Errorf("%s: this is %s", s.name, m.what)
		}
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // a byte order mark, which spreadsheets write
		s.in.Discard(3)
	}
	return nil
}

// Read unpacks, and watches the ratio.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.unzip.Read(b)
	s.out += int64(n)
	if s.out > freeFirst && s.out/maxRatio > s.packed.n {
		return 0, fmt.Errorf("%s: the gzip data unpack to more than %d times their size; if this is no decompression "+
			"bomb, unpack it first",
			s.name, maxRatio)
	}
	if err != nil && err != io.EOF {
		return n, s.broken(err)
	}
	return n, err
}

// broken words an error of the gzip reader.
func (s *source) broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the gzip data end too early, after %s bytes of text; want the whole file", s.name,
			grouped(s.out))
	}
	return fmt.Errorf("%s: the gzip data are damaged after %s bytes of text; want an intact file", s.name,
		grouped(s.out))
}

package traffic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"ratelab/internal/message"
)

// lines cuts a source into records: lines, or, where a CSV quote spans them, several lines at once.
type lines struct {
	src    *source
	quotes bool  // an odd number of double quotes continues on the next line
	number int64 // of the record's first line, from 1
	read   int64 // lines read so far
	cut    bool  // the last of them has no end
	buf    []byte
}

// next returns the next record that is not blank, without its line end; it is valid until the call after. At the
// end the error is io.EOF; every other error names the file.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		l.number = l.read
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if l.quotes && bytes.Count(line, []byte{'"'})%2 != 0 {
			return l.join(line)
		}
		return line, nil
	}
}

// join reads on until the quote that line leaves open is closed.
func (l *lines) join(line []byte) ([]byte, error) {
	joined := bytes.Clone(line)
	for odd := true; odd; {
		line, err := l.line()
		if err == io.EOF || err == nil && len(joined)+len(line) > maxLine {
			return nil, fmt.Errorf("%s:%d: a quote is never closed: %s; want \"\" for each quote inside quotes",
				l.src.name, l.number, message.Quote(joined))
		}
		if err != nil {
			return nil, err
		}
		joined = append(append(joined, '\n'), line...)
		odd = odd != (bytes.Count(line, []byte{'"'})%2 != 0)
	}
	return joined, nil
}

// line reads one line of at most maxLine bytes.
func (l *lines) line() ([]byte, error) {
	line, err := l.src.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = l.long(line)
	}
	if err == io.EOF && len(line) > 0 {
		l.cut, err = true, nil // the last line may lack its end
	}
	if err != nil {
		return nil, l.failed(err)
	}
	l.read++
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}), nil
}

// long goes on reading a line that did not fit the reader's own buffer.
func (l *lines) long(line []byte) ([]byte, error) {
	l.buf = append(l.buf[:0], line...)
	for {
		more, err := l.src.in.ReadSlice('\n')
		l.buf = append(l.buf, more...)
		if len(l.buf) > maxLine {
			return nil, errLong
		}
		if err != bufio.ErrBufferFull {
			return l.buf, err
		}
	}
}

var errLong = errors.New("line too long")

func (l *lines) failed(err error) error {
	switch {
	case err == io.EOF:
		return err
	case err == errLong:
		return fmt.Errorf("%s:%d: the line is longer than 1 MiB: %s; want a text file of one request per line",
			l.src.name, l.read+1, message.Quote(l.buf))
	case l.src.unzip == nil:
		return openError(l.src.name, err)
	}
	return err // worded by source.Read
}

package virtualtime

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"ratelab/internal/resp"
	"ratelab/internal/script"
)

var errShort = errors.New("reply cut short")

// scanner reads RESP 2 and 3 values from a whole reply, in place and without allocating in the steady state:
// texts alias the reply, items come from a slab that the next reply reuses.
type scanner struct {
	data  []byte
	slab  []script.Reply
	ahead int64 // values that open tables have announced and that are yet to be read
	depth int   // tables that are open
}

func (s *scanner) reset(data []byte) {
	s.data, s.slab = data, s.slab[:0]
	s.ahead, s.depth = 0, 0
}

// header reads one line: the type byte and its number or text.
func (s *scanner) header() (kind byte, line []byte, err error) {
	end := bytes.IndexByte(s.data, '\n')
	if end < 0 {
		return 0, nil, errShort
	}
	if end < 2 || s.data[end-1] != '\r' {
		return 0, nil, fmt.Errorf("reply has the line %.60q", s.data[:end])
	}
	kind, line = s.data[0], s.data[1:end-1]
	s.data = s.data[end+1:]
	return kind, line, nil
}

// array reads an array's header and gives its length.
func (s *scanner) array() (int, error) {
	kind, line, err := s.header()
	if err != nil {
		return 0, err
	}
	if kind == '-' {
		return 0, errors.New(string(line))
	}
	n, ok := integer(line)
	if kind != '*' || !ok || n < 0 || n > resp.MostItems {
		return 0, fmt.Errorf("reply begins with %.60q, want an array", string(kind)+string(line))
	}
	return int(n), nil
}

// value reads one value of any kind.
func (s *scanner) value() (script.Reply, error) {
	kind, line, err := s.header()
	if err != nil {
		return script.Reply{}, err
	}
	switch kind {
	case ':':
		n, ok := integer(line)
		if !ok {
			return script.Reply{}, fmt.Errorf("reply has the integer %.60q", line)
		}
		return script.Reply{Kind: script.Int, Int: n}, nil
	case '+':
		return script.Reply{Kind: script.String, Text: view(line)}, nil
	case '-':
		return script.Reply{Kind: script.Error, Text: view(line)}, nil
	case '_':
		return script.Reply{Kind: script.Nil}, nil
	case '#':
		n := int64(0)
		if len(line) == 1 && line[0] == 't' {
			n = 1
		}
		return script.Reply{Kind: script.Int, Int: n}, nil
	case ',':
		f, err := strconv.ParseFloat(view(line), 64)
		return script.Reply{Kind: script.Double, Float: f}, err
	case '$', '=', '!', '(':
		return s.bulk(kind, line)
	case '*', '~', '%', '>':
		n, ok := integer(line)
		if !ok || n < -1 || n > resp.MostItems {
			return script.Reply{}, fmt.Errorf("reply has an array of length %.60q", line)
		}
		if kind == '%' {
			n *= 2
		}
		return s.items(n)
	}
	return script.Reply{}, fmt.Errorf("reply has the unknown type %q", kind)
}

func (s *scanner) bulk(kind byte, line []byte) (script.Reply, error) {
	if kind == '(' {
		return script.Reply{Kind: script.String, Text: view(line)}, nil
	}
	n, ok := integer(line)
	switch {
	case !ok || n < -1 || n > resp.MostText:
		return script.Reply{}, fmt.Errorf("reply has a text of length %.60q", line)
	case n < 0:
		return script.Reply{Kind: script.Nil}, nil
	case int64(len(s.data)) < n+2:
		return script.Reply{}, errShort
	}
	text := view(s.data[:n])
	s.data = s.data[n+2:]
	if kind == '!' {
		return script.Reply{Kind: script.Error, Text: text}, nil
	}
	return script.Reply{Kind: script.String, Text: text}, nil
}

// leastValue is how many bytes a value takes at least.
const leastValue = 3

// items reads the n values of a table. Room is made for no more values than the data can hold.
func (s *scanner) items(n int64) (script.Reply, error) {
	if n < 0 {
		return script.Reply{Kind: script.Nil}, nil
	}
	s.ahead += n
	switch {
	case s.ahead > int64(len(s.data))/leastValue:
		return script.Reply{}, errShort
	case s.depth == resp.Deepest:
		return script.Reply{}, fmt.Errorf("reply has tables nested more than %d deep", resp.Deepest)
	}
	s.depth++
	items := s.take(int(n))
	for i := range items {
		s.ahead--
		var err error
		if items[i], err = s.value(); err != nil {
			return script.Reply{}, err
		}
	}
	s.depth--
	return script.Reply{Kind: script.Array, Items: items}, nil
}

// take gives n items of the slab. A slab that is too small is left to its holders and replaced by a larger one.
func (s *scanner) take(n int) []script.Reply {
	if len(s.slab)+n > cap(s.slab) {
		s.slab = make([]script.Reply, 0, 2*cap(s.slab)+n)
	}
	from := len(s.slab)
	s.slab = s.slab[:from+n]
	return s.slab[from : from+n : from+n]
}

// release forgets the items taken so far: the values read from now on overwrite them.
func (s *scanner) release() { s.slab = s.slab[:0] }

func integer(line []byte) (n int64, ok bool) {
	digits := line
	if len(line) > 0 && (line[0] == '-' || line[0] == '+') {
		digits = line[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		n, err := strconv.ParseInt(string(line), 10, 64)
		return n, err == nil
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if line[0] == '-' {
		n = -n
	}
	return n, true
}

// view is b as a string without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

package resp

import (
	"bytes"
	"errors"
	"strconv"
	"unsafe"
)

// ErrShort is that of a Scanner whose data ends in the middle of a value.
var ErrShort = errors.New("reply cut short")

// Scanner reads RESP 2 and 3 values from a whole reply, in place and without allocating in the steady state:
// texts alias the reply, items come from a slab that the next reply reuses.
type Scanner struct {
	data  []byte
	slab  []Value
	ahead int64 // values that open tables have announced and that are yet to be read
	depth int   // tables that are open
}

// Reset begins anew with data, which must not change while the values are in use.
func (s *Scanner) Reset(data []byte) {
	s.data, s.slab = data, s.slab[:0]
	s.ahead, s.depth = 0, 0
}

// header reads one line: the type byte and its number or text.
func (s *Scanner) header() (kind byte, line []byte, err error) {
	end := bytes.IndexByte(s.data, '\n')
	if end < 0 {
		return 0, nil, ErrShort
	}
	if end < 2 || s.data[end-1] != '\r' {
		return 0, nil, refuse("the line %.60q", s.data[:end])
	}
	kind, line = s.data[0], s.data[1:end-1]
	s.data = s.data[end+1:]
	return kind, line, nil
}

// Array reads an array's header and gives its length.
func (s *Scanner) Array() (int, error) {
	kind, line, err := s.header()
	if err != nil {
		return 0, err
	}
	if kind == '-' {
		return 0, errors.New(string(line))
	}
	n, ok := integer(line)
	if kind != '*' || !ok || n < 0 || n > MostItems {
		return 0, refuse("%.60q where an array begins", string(kind)+string(line))
	}
	return int(n), nil
}

// Value reads one value of any kind. ErrShort is the error where the data ends too early, a *ProtocolError where it is
// none.
func (s *Scanner) Value() (Value, error) {
	kind, line, err := s.header()
	if err != nil {
		return Value{}, err
	}
	switch kind {
	case ':':
		n, ok := integer(line)
		if !ok {
			return Value{}, refuse("the integer %.60q", line)
		}
		return Value{Kind: Int, Int: n}, nil
	case '+':
		return Value{Kind: String, Text: view(line)}, nil
	case '-':
		return Value{Kind: Error, Text: view(line)}, nil
	case '_':
		return Value{Kind: Nil}, nil
	case '#':
		n := int64(0)
		if len(line) == 1 && line[0] == 't' {
			n = 1
		}
		return Value{Kind: Int, Int: n}, nil
	case ',':
		f, err := strconv.ParseFloat(view(line), 64)
		if err != nil {
			return Value{}, refuse("the number %.60q", line)
		}
		return Value{Kind: Double, Float: f}, nil
	case '$', '=', '!', '(':
		return s.bulk(kind, line)
	case '*', '~', '%', '>':
		n, ok := integer(line)
		if !ok || n < -1 || n > MostItems {
			return Value{}, refuse("an array of length %.60q", line)
		}
		if kind == '%' {
			n *= 2
		}
		return s.items(n)
	}
	return Value{}, refuse("the unknown type %q", kind)
}

func (s *Scanner) bulk(kind byte, line []byte) (Value, error) {
	if kind == '(' {
		return Value{Kind: String, Text: view(line)}, nil
	}
	n, ok := integer(line)
	switch {
	case !ok || n < -1 || n > MostText:
		return Value{}, refuse("a text of length %.60q", line)
	case n < 0:
		return Value{Kind: Nil}, nil
	case int64(len(s.data)) < n+2:
		return Value{}, ErrShort
	}
	text := view(s.data[:n])
	s.data = s.data[n+2:]
	if kind == '!' {
		return Value{Kind: Error, Text: text}, nil
	}
	return Value{Kind: String, Text: text}, nil
}

// leastValue is how many bytes a value takes at least.
const leastValue = 3

// items reads the n values of a table. Room is made for no more values than the data can hold.
func (s *Scanner) items(n int64) (Value, error) {
	if n < 0 {
		return Value{Kind: Nil}, nil
	}
	s.ahead += n
	switch {
	case s.ahead > int64(len(s.data))/leastValue:
		return Value{}, ErrShort
	case s.depth == Deepest:
		return Value{}, refuse("tables nested more than %d deep", Deepest)
	}
	s.depth++
	items := s.take(int(n))
	for i := range items {
		s.ahead--
		var err error
		if items[i], err = s.Value(); err != nil {
			return Value{}, err
		}
	}
	s.depth--
	return Value{Kind: Array, Items: items}, nil
}

// take gives n items of the slab. A slab that is too small is left to its holders and replaced by a larger one.
func (s *Scanner) take(n int) []Value {
	if len(s.slab)+n > cap(s.slab) {
		s.slab = make([]Value, 0, 2*cap(s.slab)+n)
	}
	from := len(s.slab)
	s.slab = s.slab[:from+n]
	return s.slab[from : from+n : from+n]
}

// Release forgets the items taken so far: the values read from now on overwrite them.
func (s *Scanner) Release() { s.slab = s.slab[:0] }

// End refuses what follows the values that have been read.
func (s *Scanner) End() error {
	if len(s.data) > 0 {
		return refuse("%.60q after the reply", s.data)
	}
	return nil
}

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

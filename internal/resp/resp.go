// Package resp is the protocol of a Redis, RESP2, where go-redis would cost too much: commands are written and read,
// and replies read in place.
package resp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"ratelab/internal/message"
)

// What one reply may hold. Redis itself would send more, but nothing that is asked here is answered with as much.
const (
	MostText  = 64 << 20 // bytes of one text
	MostItems = 1 << 24  // values of one table
	// Deepest is how far tables nest. Redis' Lua converts a reply on its C stack, which has so many slots
	// (LUAI_MAXCSTACK), and answers an error beyond.
	Deepest = 8000
)

// mostArguments is how many arguments of one command a server takes.
const mostArguments = 1 << 20

// ErrShort is the error where data ends in the middle of a value or a command.
var ErrShort = errors.New("reply cut short")

// ProtocolError is an answer that no Redis gives here, in a few words. It is a net.Error, since it is of the
// connection, which is of no use any more.
type ProtocolError struct{ What string }

// Error begins as go-redis' own words do for what is not the protocol.
func (e *ProtocolError) Error() string { return "redis: can't parse reply: " + e.What }

// Timeout is false.
func (*ProtocolError) Timeout() bool { return false }

// Temporary is false.
func (*ProtocolError) Temporary() bool { return false }

// ReplyError is an error that a server replied.
type ReplyError string

func (e ReplyError) Error() string { return string(e) }

// RedisError makes it an error of go-redis.
func (ReplyError) RedisError() {}

// Refuse is a *ProtocolError.
func Refuse(format string, args ...any) error { return &ProtocolError{fmt.Sprintf(format, args...)} }

// AppendCommand writes a command: an array of texts.
func AppendCommand[T ~string | ~[]byte](dst []byte, args ...T) []byte {
	dst = AppendHeader(dst, '*', len(args))
	for _, arg := range args {
		dst = AppendText(dst, arg)
	}
	return dst
}

// AppendText writes one argument.
func AppendText[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = AppendHeader(dst, '$', len(text))
	dst = append(dst, text...)
	return append(dst, '\r', '\n')
}

// AppendHeader writes a number: the line that begins an array (*) or a text ($) of that length, or all of one (:).
func AppendHeader(dst []byte, kind byte, n int) []byte {
	dst = strconv.AppendInt(append(dst, kind), int64(n), 10)
	return append(dst, '\r', '\n')
}

// Command reads one command, and gives what follows it. The error is ErrShort or a *ProtocolError.
func Command(data []byte) (args []string, rest []byte, err error) {
	n, rest, err := announced(data, '*', 1, mostArguments)
	if err != nil {
		return nil, nil, err
	}
	for range n {
		var size int
		if size, rest, err = announced(rest, '$', 0, MostText); err != nil {
			return nil, nil, err
		}
		if len(rest)-len("\r\n") < size {
			return nil, nil, ErrShort
		}
		args = append(args, string(rest[:size]))
		rest = rest[size+2:]
	}
	return args, rest, nil
}

// announced reads the number of a line such as "*3\r\n".
func announced(data []byte, kind byte, least, most int) (n int, rest []byte, err error) {
	line, rest, whole := bytes.Cut(data, []byte("\r\n"))
	if !whole {
		return 0, nil, ErrShort
	}
	if len(line) > 0 && line[0] == kind {
		n, err = strconv.Atoi(string(line[1:]))
	}
	if err != nil || len(line) < 2 || line[0] != kind || n < least || n > most {
		return 0, nil, Refuse("%.60q, which begins no command", line)
	}
	return n, rest, nil
}

// Scanner reads values from a whole reply, in place and without allocating in the steady state: texts alias the reply,
// items come from a slab that the next reply reuses.
type Scanner struct {
	data  []byte
	slab  []Value
	ahead int // values that open tables have announced and that are yet to be read
	depth int // tables that are open
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
		return 0, nil, Refuse("the line %.60q", s.data[:end])
	}
	kind, line = s.data[0], s.data[1:end-1]
	s.data = s.data[end+1:]
	return kind, line, nil
}

// Array reads an array's header and gives its length. Where the reply is an error it is a ReplyError.
func (s *Scanner) Array() (int, error) {
	kind, line, err := s.header()
	if err != nil {
		return 0, err
	}
	if kind == '-' {
		return 0, ReplyError(line)
	}
	n, err := strconv.Atoi(view(line))
	if kind != '*' || err != nil || n < 0 || n > MostItems {
		return 0, Refuse("%.60q where an array begins", string(kind)+string(line))
	}
	return n, nil
}

// Value reads one value of any kind. The error is ErrShort or a *ProtocolError.
func (s *Scanner) Value() (Value, error) {
	kind, line, err := s.header()
	if err != nil {
		return Value{}, err
	}
	switch kind {
	case '+':
		return Value{Kind: String, Text: view(line)}, nil
	case '-':
		return Value{Kind: Error, Text: view(line)}, nil
	}
	n, err := strconv.Atoi(view(line))
	switch {
	case kind == ':' && err == nil:
		return Value{Kind: Int, Int: int64(n)}, nil
	case kind != '$' && kind != '*', err != nil, n < -1, kind == '$' && n > MostText, n > MostItems && kind == '*':
		return Value{}, Refuse("the line %.60q", string(kind)+string(line))
	case n < 0:
		return Value{Kind: Nil}, nil
	case kind == '*':
		return s.items(n)
	case len(s.data) < n+len("\r\n"):
		return Value{}, ErrShort
	}
	text := view(s.data[:n])
	s.data = s.data[n+len("\r\n"):]
	return Value{Kind: String, Text: text}, nil
}

// Read reads the value that a reply begins with.
func Read(reply []byte) (Value, error) {
	s := Scanner{data: reply}
	return s.Value()
}

// leastValue is how many bytes a value takes at least.
const leastValue = 3

// items reads the n values of a table. Room is made for no more values than the data can hold.
func (s *Scanner) items(n int) (Value, error) {
	s.ahead += n
	switch {
	case s.ahead > len(s.data)/leastValue:
		return Value{}, ErrShort
	case s.depth == Deepest:
		return Value{}, Refuse("tables nested more than %d deep", Deepest)
	}
	s.depth++
	items := s.take(n)
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
		return Refuse("%.60q after the reply", s.data)
	}
	return nil
}

// view is b as a string without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Kind is the type of a value.
type Kind uint8

// The kinds that a script's return value can become.
const (
	Nil Kind = iota
	Int
	String // bulk and status
	Error
	Array
)

// Value is what a Scanner reads, in place: Text and Items are valid until what it was read from changes.
type Value struct {
	Kind  Kind
	Int   int64
	Text  string
	Items []Value
}

// String shows the value as redis-cli would, shortened: whatever a server makes of it is a line that one can read.
func (v Value) String() string { return string(v.append(nil, 0)) }

func (v Value) append(text []byte, depth int) []byte {
	switch v.Kind {
	case Nil:
		return append(text, "(nil)"...)
	case Int:
		return strconv.AppendInt(text, v.Int, 10)
	case Error:
		return append(append(text, "(error) "...), message.Bare(v.Text)...)
	case String:
		return append(text, message.Quote(v.Text)...)
	}
	text = append(text, '[')
	for i, item := range v.Items {
		if i > 0 {
			text = append(text, ", "...)
		}
		if i == 8 || depth == 4 || len(text) > 400 {
			text = append(text, "…"...)
			break
		}
		text = item.append(text, depth+1)
	}
	return append(text, ']')
}

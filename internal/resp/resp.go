// Package resp implements RESP2, the protocol of Redis, for cases in which go-redis would be too slow: it writes and
// reads commands, and reads replies in place.
package resp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"ratelab/internal/message"
)

// The largest parts of a reply. Redis itself could send more, but no reply to our commands is as large.
const (
	MostText  = 64 << 20 // bytes of one text
	MostItems = 1 << 24  // values of one table
	// Deepest is how far tables may nest. Redis's Lua converts a reply on its C stack, which has this many slots
	// (LUAI_MAXCSTACK), and replies with an error beyond that.
	Deepest = 8000
)

// ErrShort is the error if data ends within a value or a command.
var ErrShort = errors.New("reply cut short")

// ProtocolError reports a malformed reply or command. It is a net.Error: the connection cannot be reused.
type ProtocolError struct {
	What string // the malformed part, quoted
	Sent string // the command whose reply it is; "": unknown
}

// Error begins as go-redis's own errors about malformed replies do.
func (e *ProtocolError) Error() string { return "redis: can't parse reply: " + e.What }

// Timeout returns false.
func (*ProtocolError) Timeout() bool { return false }

// Temporary returns false.
func (*ProtocolError) Temporary() bool { return false }

// ReplyError is an error reply of a server.
type ReplyError string

func (e ReplyError) Error() string { return string(e) }

// RedisError marks the error as go-redis marks its own.
func (ReplyError) RedisError() {}

// Refuse returns a *ProtocolError.
func Refuse(format string, args ...any) error {
	return &ProtocolError{What: fmt.Sprintf(format, args...)}
}

// refuse returns a *ProtocolError that quotes the malformed part.
func refuse(part []byte) error { return Refuse("%.60q", part) }

// Named returns err. If it is a *ProtocolError without a command, Named sets the command that was sent.
func Named(err error, sent string) error {
	var wrong *ProtocolError
	if errors.As(err, &wrong) {
		wrong.Sent = cmp.Or(wrong.Sent, sent)
	}
	return err
}

// AppendCommand appends a command: an array of texts.
func AppendCommand[T ~string | ~[]byte](dst []byte, args ...T) []byte {
	dst = AppendHeader(dst, '*', len(args))
	for _, arg := range args {
		dst = AppendText(dst, arg)
	}
	return dst
}

// AppendText appends one argument.
func AppendText[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = AppendHeader(dst, '$', len(text))
	dst = append(dst, text...)
	return append(dst, '\r', '\n')
}

// AppendHeader appends a type and a number: the line that begins an array (*) or a text ($) of that length, or an
// integer (:).
func AppendHeader(dst []byte, kind byte, n int) []byte {
	dst = strconv.AppendInt(append(dst, kind), int64(n), 10)
	return append(dst, '\r', '\n')
}

// Command reads one command, and returns it with the bytes after it. The error is ErrShort or a *ProtocolError.
func Command(data []byte) (args []string, rest []byte, err error) {
	s := Scanner{data: data}
	n, err := s.Array()
	if err == nil && n == 0 {
		err = Refuse("a command without a name")
	}
	for i := 0; i < n && err == nil; i++ {
		var arg Value
		if arg, err = s.Value(); err == nil && arg.Kind != String {
			err = Refuse("%v as a part of a command", arg)
		}
		args = append(args, strings.Clone(arg.Text))
	}
	return args, s.data, err
}

// Scanner reads values from a complete reply, in place and without allocating in the steady state. Texts point into the
// reply. Items come from a slab that the next reply reuses.
type Scanner struct {
	data  []byte
	slab  []Value
	ahead int // values that open tables have announced and that have not been read
	depth int // the number of open tables
}

// Reset starts again with data, which must not change while the values are in use.
func (s *Scanner) Reset(data []byte) {
	s.data, s.slab = data, s.slab[:0]
	s.ahead, s.depth = 0, 0
}

// header reads one line: the type byte, followed by its number or text.
func (s *Scanner) header() (line []byte, err error) {
	end := bytes.IndexByte(s.data, '\n')
	if end < 0 {
		return nil, ErrShort
	}
	if end < 2 || s.data[end-1] != '\r' {
		return nil, refuse(s.data[:end])
	}
	line, s.data = s.data[:end-1], s.data[end+1:]
	return line, nil
}

// Array reads an array's header and returns its length. If the reply is an error, Array returns a ReplyError.
func (s *Scanner) Array() (int, error) {
	line, err := s.header()
	if err != nil {
		return 0, err
	}
	if line[0] == '-' {
		return 0, ReplyError(line[1:])
	}
	n, err := strconv.Atoi(view(line[1:]))
	if line[0] != '*' || err != nil || n < 0 || n > MostItems {
		return 0, refuse(line)
	}
	return n, nil
}

// Value reads one value of any kind. The error is ErrShort or a *ProtocolError.
func (s *Scanner) Value() (Value, error) {
	line, err := s.header()
	if err != nil {
		return Value{}, err
	}
	kind, text := line[0], view(line[1:])
	switch kind {
	case '+':
		return Value{Kind: String, Text: text}, nil
	case '-':
		return Value{Kind: Error, Text: text}, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case kind == ':' && err == nil:
		return Value{Kind: Int, Int: int64(n)}, nil
	case kind != '$' && kind != '*', err != nil, n < -1, kind == '$' && n > MostText, n > MostItems && kind == '*':
		return Value{}, refuse(line)
	case n < 0:
		return Value{Kind: Nil}, nil
	case kind == '*':
		return s.items(n)
	case len(s.data) < n+len("\r\n"):
		return Value{}, ErrShort
	}
	text = view(s.data[:n])
	s.data = s.data[n+len("\r\n"):]
	return Value{Kind: String, Text: text}, nil
}

// Read reads the first value of a reply.
func Read(reply []byte) (Value, error) {
	s := Scanner{data: reply}
	return s.Value()
}

// leastValue is the least number of bytes of a value.
const leastValue = 3

// items reads the n values of a table. It allocates no more values than the data can hold.
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

// take returns n items of the slab. If the slab is too small, take allocates a larger one. Items of the old slab stay
// valid.
func (s *Scanner) take(n int) []Value {
	if len(s.slab)+n > cap(s.slab) {
		s.slab = make([]Value, 0, 2*cap(s.slab)+n)
	}
	from := len(s.slab)
	s.slab = s.slab[:from+n]
	return s.slab[from : from+n : from+n]
}

// Release frees all items that were taken. Values that are read later overwrite them.
func (s *Scanner) Release() { s.slab = s.slab[:0] }

// End returns an error if any data follows the values that have been read.
func (s *Scanner) End() error {
	if len(s.data) > 0 {
		return refuse(s.data)
	}
	return nil
}

// view returns b as a string without a copy.
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

// Value is a value that a Scanner read, in place: Text and Items are valid until the source changes.
type Value struct {
	Kind  Kind
	Int   int64
	Text  string
	Items []Value
}

// String formats the value as redis-cli would, shortened, so that any reply is a readable line.
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

package resp

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// noReplies are no replies, each for another reason.
var noReplies = []string{"\r\n", ":x\r\n", ":1\n", "?\r\n", "*-2\r\n", "$9223372036854775807\r\n", "*1000000000\r\n",
	nested(Deepest + 1)}

// nested is a table in a table, so many in all.
func nested(n int) string { return strings.Repeat("*1\r\n", n-1) + "*0\r\n" + strings.Repeat("xxx", n) }

func TestReplies(t *testing.T) {
	num := func(n int64) Value { return Value{Kind: Int, Int: n} }
	for text, want := range map[string]Value{
		":7\r\n":                    num(7),
		":-9223372036854775808\r\n": num(-9223372036854775808),
		":999999999999999999\r\n":   num(999999999999999999),
		"+OK\r\n":                   {Kind: String, Text: "OK"},
		"-ERR no\r\n":               {Kind: Error, Text: "ERR no"},
		"$-1\r\n":                   {Kind: Nil},
		"*-1\r\n":                   {Kind: Nil},
		"$4\r\n\r\n:1\r\n":          {Kind: String, Text: "\r\n:1"},
		"*0\r\n":                    {Kind: Array},
		"*3\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n:3\r\n": {Kind: Array, Items: []Value{
			num(1), {Kind: Array, Items: []Value{num(2), {Kind: String, Text: "x"}}}, num(3)}},
	} {
		var s Scanner
		s.Reset([]byte(text + ":5\r\n"))
		if got, err := s.Value(); err != nil || s.End() == nil || string(s.data) != ":5\r\n" ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v, and %q is left; want %v", text, got, err, s.data, want)
		}
		for cut := range text { // however it is cut, the rest is waited for
			s.Reset([]byte(text[:cut]))
			if _, err := s.Value(); err != ErrShort {
				t.Errorf("%q: %v; want more to be read", text[:cut], err)
			}
		}
	}
}

func TestWhatNoServerAnswersIsAnError(t *testing.T) {
	for _, text := range noReplies {
		var s Scanner
		s.Reset([]byte(text))
		if r, err := s.Value(); err == nil || errors.Is(err, ErrShort) || len(err.Error()) > 200 {
			t.Errorf("%.60q: %v, %v; want an error in a few words", text, r.Kind, err)
		}
	}
	for _, text := range []string{"*1000000000\r\n", "*-1\r\n", "$1\r\nx\r\n"} {
		var s Scanner
		s.Reset([]byte(text))
		if n, err := s.Array(); err == nil {
			t.Errorf("%q: %d; want an error", text, n)
		}
	}
}

// Tables within tables announce more than there is: room is made for what there can be.
func TestNestedTablesTakeNoMoreRoomThanTheirData(t *testing.T) {
	var s Scanner
	s.Reset([]byte(strings.Repeat("*900\r\n", 1000)))
	if _, err := s.Value(); !errors.Is(err, ErrShort) || cap(s.slab) > 10_000 {
		t.Errorf("%v with room for %d values; want %v", err, cap(s.slab), ErrShort)
	}
}

// Whatever comes, the Scanner reads a value or objects, and makes room for no more than there is.
func FuzzScan(f *testing.F) {
	for _, text := range append(noReplies, "*3\r\n*2\r\n:1\r\n$1\r\nx\r\n:7\r\n$-1\r\n") {
		if len(text) < 1000 { // long ones hold the search up
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Scanner
		s.Reset(data)
		for len(s.data) > 0 {
			left := len(s.data)
			r, err := s.Value()
			if len(s.slab) > len(data)/leastValue || len(s.data) > left {
				t.Fatalf("%q: %d values, %d bytes left of %d, %v", data, len(s.slab), len(s.data), left, err)
			}
			if err != nil {
				return
			}
			_ = r.String()
			var alone Scanner
			alone.Reset(data[len(data)-left : len(data)-len(s.data)])
			if _, err := alone.Value(); err != nil || alone.End() != nil {
				t.Fatalf("%q: %v and %d bytes left, read alone", data, err, len(alone.data))
			}
		}
		s.Reset(data)
		_, _ = s.Array()
	})
}

// noCommands are no commands, each for another reason.
var noCommands = []string{"*0\r\n", "PING\r\n", "*1\r\n:1\r\n", "*1\r\n$-1\r\n", "*1\r\n$67108865\r\n", "*1\r\n*0\r\n"}

func TestWhatNoClientSendsIsAnError(t *testing.T) {
	for _, text := range noCommands {
		if args, _, err := Command([]byte(text)); err == nil || errors.Is(err, ErrShort) {
			t.Errorf("%q: %q, %v; want an error", text, args, err)
		}
	}
}

// Whatever a client sends, a command is read, or waited for, or refused; and what is read is written as it came.
func FuzzCommand(f *testing.F) {
	for _, text := range append(noCommands, "*1\r\n$4\r\nPING\r\n", "*2\r\n$3\r\nGET\r\n$0\r\n\r\n*1\r\n") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		args, rest, err := Command(data)
		if err != nil {
			return
		}
		again, none, err := Command(AppendCommand(nil, args...))
		if err != nil || len(none) > 0 || strings.Join(again, "\x00") != strings.Join(args, "\x00") {
			t.Errorf("%q: %q, and then %q, %v", data[:len(data)-len(rest)], args, again, err)
		}
	})
}

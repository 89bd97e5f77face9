package virtualtime

import (
	"errors"
	"strings"
	"testing"

	"ratelab/internal/resp"
)

// noReplies are what no server answers.
var noReplies = []string{"\n", "\r\n", ":x\r\n", ":1\n", "?\r\n", "$x\r\n", "$-2\r\n", "*-2\r\n", "*x\r\n", ",x\r\n",
	"$9223372036854775807\r\n", "$9223372036854775806\r\n", "=9223372036854775807\r\n", "!99999999999999999999\r\n",
	"*9223372036854775807\r\n", "*1000000000\r\n", "%9223372036854775807\r\n", "%4611686018427387904\r\n", "%-4611686018427387904\r\n",
	nested(resp.Deepest + 1)}

// nested is a table in a table, so many in all.
func nested(n int) string { return strings.Repeat("*1\r\n", n-1) + "*0\r\n" + strings.Repeat("xxx", n) }

func TestWhatNoServerAnswersIsAnError(t *testing.T) {
	for _, text := range noReplies {
		var s scanner
		s.reset([]byte(text))
		if r, err := s.value(); err == nil || errors.Is(err, errShort) || len(err.Error()) > 200 {
			t.Errorf("%.60q: %v, %v; want an error in a few words", text, r.Kind, err)
		}
	}
	for _, text := range []string{"*9223372036854775807\r\n", "*-1\r\n", "$1\r\nx\r\n"} {
		var s scanner
		s.reset([]byte(text))
		if n, err := s.array(); err == nil {
			t.Errorf("%q: %d; want an error", text, n)
		}
	}
}

// Tables within tables announce more than there is: room is made for what there can be.
func TestNestedTablesTakeNoMoreRoomThanTheirData(t *testing.T) {
	var s scanner
	s.reset([]byte(strings.Repeat("*900\r\n", 1000)))
	if _, err := s.value(); !errors.Is(err, errShort) || cap(s.slab) > 10_000 {
		t.Errorf("%v with room for %d values; want %v", err, cap(s.slab), errShort)
	}
}

// Whatever comes, the scanner reads a value or objects, and makes room for no more than there is.
func FuzzScan(f *testing.F) {
	for _, text := range append(noReplies, "*3\r\n*2\r\n:1\r\n$1\r\nx\r\n:7\r\n%1\r\n+k\r\n_\r\n", "|1\r\n", "#t\r\n", ",1.5\r\n", "(12\r\n", "!1\r\nx\r\n") {
		if len(text) < 1000 { // long ones hold the search up
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s scanner
		s.reset(data)
		for len(s.data) > 0 {
			left := len(s.data)
			r, err := s.value()
			if len(s.slab) > len(data)/leastValue || len(s.data) > left {
				t.Fatalf("%q: %d values, %d bytes left of %d, %v", data, len(s.slab), len(s.data), left, err)
			}
			if err != nil {
				return
			}
			_ = r.String()
		}
		s.reset(data)
		_, _ = s.array()
	})
}

// noCommands are what no client sends.
var noCommands = []string{"\r\n", "*0\r\n", "*-1\r\n", "PING\r\n", "*1\r\n:1\r\n", "*1\r\n$-1\r\n", "*1\r\n$9223372036854775807\r\n",
	"*1\r\n$9223372036854775806\r\nx", "*9223372036854775807\r\n", "*99999999999999999999\r\n", "*1\r\n$67108865\r\n"}

func TestWhatNoClientSendsIsAnError(t *testing.T) {
	for _, text := range noCommands {
		if args, _, err := command([]byte(text)); err == nil || errors.Is(err, errShort) {
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
		args, rest, err := command(data)
		if err != nil {
			return
		}
		again, none, err := command(appendCommand(nil, args))
		if err != nil || len(none) > 0 || strings.Join(again, "\x00") != strings.Join(args, "\x00") {
			t.Errorf("%q: %q, and then %q, %v", data[:len(data)-len(rest)], args, again, err)
		}
	})
}

package resp

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
)

// whole are replies of every kind, each by itself.
var whole = []string{
	"+OK\r\n", "-ERR no\r\n", ":7\r\n", "$-1\r\n", "*-1\r\n", "$0\r\n\r\n", "$4\r\n\r\n:1\r\n", "*0\r\n",
	"*3\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n:3\r\n", "*2\r\n*0\r\n*-1\r\n",
	"_\r\n", "#t\r\n", ",1.5\r\n", "(123456789012345678901234567890\r\n", "=5\r\ntxt:x\r\n", "!3\r\nERR\r\n",
	"%1\r\n+k\r\n*1\r\n:1\r\n", "~2\r\n:1\r\n:2\r\n", ">2\r\n+a\r\n+b\r\n", "|1\r\n+k\r\n+v\r\n:1\r\n", "%0\r\n",
	"+" + strings.Repeat("x", 100_000) + "\r\n",
	strings.Repeat("*1\r\n", Deepest) + ":1\r\n",
}

func TestWhatARedisAnswersPasses(t *testing.T) {
	all := strings.Join(whole, "")
	for _, step := range []int{1, 2, 7, 4096, len(all)} {
		var c Checker
		for rest := all; rest != ""; {
			n := min(step, len(rest))
			if err := c.Check([]byte(rest[:n])); err != nil {
				t.Fatalf("in pieces of %d bytes, %d before the end: %v", step, len(rest), err)
			}
			rest = rest[n:]
		}
		if len(c.open) != 0 || c.skip != 0 || c.size != 0 || c.all != 0 || len(c.line) != 0 {
			t.Errorf("in pieces of %d bytes: %+v is left, want nothing", step, c)
		}
	}
}

// refused are beginnings of replies, with a part of the objection.
var refused = map[string]string{
	"$9223372036854775807\r\n":          "a text of 9223372036854775807 bytes",
	"$9223372036854775806\r\n":          "a text of",
	"$99999999999999999999\r\n":         "the length",
	"$-9223372036854775808\r\n":         "the length",
	"$-2\r\n":                           "the length",
	"$\r\n":                             "the length",
	"*?\r\n":                            "the length",
	"=9223372036854775807\r\n":          "a text of",
	"!67108865\r\n":                     "a text of 67108865 bytes",
	"*1000000000\r\n":                   "a table of 1000000000 values",
	"%9223372036854775807\r\n":          "a table of",
	"%4611686018427387904\r\n":          "a table of",
	"|9223372036854775807\r\n":          "a table of",
	">9223372036854775807\r\n":          "a table of",
	strings.Repeat("*9000000\r\n", 2):   "a table of 9000000 values",
	strings.Repeat("*1\r\n", Deepest+1): "nested more than 8000 deep",
	strings.Repeat("|0\r\n", Deepest+1): "nested more than 8000 deep",
	"HTTP/1.1 400 Bad Request\r\n":      "the line \"HTTP/1.1 400 Bad Request\\r\"",
	"\n":                                "the line",
	"\r\n":                              "the line",
	"\x15\x03\x01\x00\x02\x02\n":        "the line",
}

func TestWhatNoRedisAnswersIsRefused(t *testing.T) {
	for data, want := range refused {
		var c Checker
		err := c.Check([]byte("+OK\r\n" + data))
		var refused *ProtocolError
		var network net.Error
		if !errors.As(err, &refused) || !errors.As(err, &network) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v; want %s", data, err, want)
		}
		if again := c.Check([]byte("+OK\r\n")); again != err {
			t.Errorf("%.60q: %v after it; want the objection for good", data, again)
		}
	}
}

// A text of 60 MB passes, but not five times in one reply.
func TestTheTextsOfAReplyAreBoundedTogether(t *testing.T) {
	var c Checker
	text := []byte(strings.Repeat("x", 1_000_000))
	err := c.Check([]byte("*6\r\n"))
	passed := 0
	for ; err == nil && passed < 300; passed++ {
		if passed%60 == 0 {
			err = errors.Join(err, c.Check([]byte("$60000000\r\n")))
		}
		err = errors.Join(err, c.Check(text))
		if passed%60 == 59 {
			err = errors.Join(err, c.Check([]byte("\r\n")))
		}
	}
	if err == nil || !strings.Contains(err.Error(), "more than 268435456 bytes") || passed != 269 {
		t.Errorf("%v after %d MB; want it of more than 268435456 bytes", err, passed)
	}
}

// However the data are cut, the verdict is the same; and what passes has announced no more than may be.
func FuzzChecker(f *testing.F) {
	for _, data := range slices.Concat(whole, slices.Collect(maps.Keys(refused))) {
		if len(data) < 1000 { // long ones hold the search up
			f.Add([]byte(data), 3)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		var once, cut Checker
		err := once.Check(data)
		step = max(1, step)
		for rest := data; len(rest) > 0; {
			n := min(step, len(rest))
			_ = cut.Check(rest[:n])
			rest = rest[n:]
		}
		if fmt.Sprint(err) != fmt.Sprint(cut.err) {
			t.Errorf("%q: %v at once, %v in pieces of %d", data, err, cut.err, step)
		}
		if once.all > MostItems || once.skip > MostText+2 || len(once.open) > Deepest {
			t.Errorf("%q: %d values and a text of %d bytes, %d deep", data, once.all, once.skip, len(once.open))
		}
	})
}

func BenchmarkChecker(b *testing.B) {
	for name, reply := range map[string]string{"int": ":1\r\n", "table": "*3\r\n:1\r\n:99\r\n:0\r\n",
		"batch": "*3\r\n*1000\r\n" + strings.Repeat("*3\r\n:1\r\n:99\r\n:0\r\n", 1000) + ":3000\r\n*0\r\n"} {
		b.Run(name, func(b *testing.B) {
			var c Checker
			data := []byte(reply)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if c.Check(data) != nil {
					b.Fatal(c.err)
				}
			}
		})
	}
}

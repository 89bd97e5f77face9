package load

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/resp"
	"ratelab/internal/script"
)

func TestReplies(t *testing.T) {
	num := func(n int64) script.Reply { return script.Reply{Kind: script.Int, Int: n} }
	for text, want := range map[string]script.Reply{
		":7\r\n":                    num(7),
		":-9223372036854775808\r\n": num(-9223372036854775808),
		":999999999999999999\r\n":   num(999999999999999999),
		"+OK\r\n":                   {Kind: script.String, Text: "OK"},
		"-ERR no\r\n":               {Kind: script.Error, Text: "ERR no"},
		"$-1\r\n":                   {Kind: script.Nil},
		"*-1\r\n":                   {Kind: script.Nil},
		"$4\r\n\r\n:1\r\n":          {Kind: script.String, Text: "\r\n:1"},
		"*0\r\n":                    {Kind: script.Array},
		"*3\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n:3\r\n": {Kind: script.Array, Items: []script.Reply{
			num(1), {Kind: script.Array, Items: []script.Reply{num(2), {Kind: script.String, Text: "x"}}}, num(3)}},
	} {
		got, length, err := new(parser).parse([]byte(text + ":5\r\n"))
		if err != nil || length != len(text) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v of %d bytes, %v; want %v of %d", text, got, length, err, want, len(text))
		}
		for cut := range text { // however it is cut, the rest is waited for
			if _, _, err := new(parser).parse([]byte(text[:cut])); err != errShort {
				t.Errorf("%q: %v; want more to be read", text[:cut], err)
			}
		}
	}
}

// noReplies are what no server answers, or not this one to a script.
var noReplies = []string{"\n", "\r\n", "7\r\n", ":\r\n", ":x\r\n", ":1\n", "*-2\r\n", "_\r\n", "HTTP/1.1 400 Bad Request\r\n",
	"$99999999999999999999\r\n", "$9223372036854775807\r\n", "$9223372036854775806\r\n", "*9223372036854775807\r\n", "*1000000000\r\n",
	strings.Repeat("*1\r\n", resp.Deepest+1) + ":1\r\n"}

func TestWhatIsNoReply(t *testing.T) {
	for _, text := range noReplies {
		_, _, err := new(parser).parse([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "redis: can't parse reply line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Tables within tables announce more than there is: room is made for what there can be.
func TestNestedTablesTakeNoMoreRoomThanTheirData(t *testing.T) {
	p := new(parser)
	_, _, err := p.parse([]byte(strings.Repeat("*900\r\n", 1000)))
	if err != errShort || cap(p.slab) > 10_000 {
		t.Errorf("%v with room for %d values; want more to be read", err, cap(p.slab))
	}
}

// Whatever comes, the parser reads a reply, waits for more, or objects.
func FuzzReply(f *testing.F) {
	for _, text := range append(noReplies, ":7\r\n", "*2\r\n$1\r\nx\r\n*0\r\n", "$-1\r\n", "-ERR no\r\n") {
		if len(text) < 1000 { // long ones hold the search up
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := new(parser)
		_, length, err := p.parse(data)
		if length < 0 || length > len(data) || len(p.slab) > len(data)/leastValue {
			t.Fatalf("%q: %d bytes, %d values, %v", data, length, len(p.slab), err)
		}
		if err != nil {
			return
		}
		if again, same, err := new(parser).parse(data[:length]); err != nil || same != length {
			t.Errorf("%q alone: %v of %d bytes, %v; it was %d bytes", data[:length], again, same, err, length)
		}
	})
}

// What a call is written as is what go-redis' own writer would send: an array of bulk strings.
func TestACallIsWrittenAsTheProtocolSays(t *testing.T) {
	call := script.Call{
		Keys: []script.Template{script.KeyIn("a:"), script.Literal("fixed")},
		Args: []script.Template{script.NowUS(1), script.Literal(""), script.Cost()},
	}
	e := newEvalsha("sha", call)
	rapid.Check(t, func(t *rapid.T) {
		v := script.Vars{Key: rapid.String().Draw(t, "key"), Cost: rapid.Int64Min(1).Draw(t, "cost"), NowUS: rapid.Int64Min(0).Draw(t, "now")}
		words := []string{"EVALSHA", "sha", "2", "a:{" + v.Key + "}", "fixed", strconv.FormatInt(v.NowUS, 10), "", strconv.FormatInt(v.Cost, 10)}
		want := "*8\r\n"
		for _, w := range words {
			want += "$" + strconv.Itoa(len(w)) + "\r\n" + w + "\r\n"
		}
		if got, _ := e.append(nil, nil, v); string(got) != want {
			t.Fatalf("%q; want %q", got, want)
		}
	})
}

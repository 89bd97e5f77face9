package embedded_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"ratelab/internal/embedded"
	"ratelab/internal/longtest"
)

// connection is one to an embedded server.
type connection struct {
	net.Conn
	reader *bufio.Reader
}

// dial is a connection to m that ends with the test.
func dial(t testing.TB, m *miniredis.Miniredis) *connection {
	t.Helper()
	conn, err := m.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &connection{conn, bufio.NewReader(conn)}
}

// server is a new one of ours.
func server(t testing.TB) *miniredis.Miniredis {
	t.Helper()
	m, err := embedded.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// stock is miniredis as it comes.
func stock(t testing.TB) *miniredis.Miniredis {
	t.Helper()
	m := miniredis.NewMiniRedis()
	t.Cleanup(m.Close)
	return m
}

// ask sends a command, and returns the text of its reply, without what names a place in memory or a script.
func (c *connection) ask(t testing.TB, words ...string) string {
	t.Helper()
	var text bytes.Buffer
	fmt.Fprintf(&text, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&text, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := c.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	reply, err := c.read()
	if err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	return places.ReplaceAllString(reply, "$1")
}

var places = regexp.MustCompile(`((?:table|function|thread|userdata): )0x[0-9a-f]+|(script: )[0-9a-f]{40}`)

// read is the text of one reply.
func (c *connection) read() (string, error) {
	line, err := c.reader.ReadString('\n')
	if err != nil {
		return "", err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch line[0] {
	case '$':
		if n < 0 {
			return line, nil
		}
		text := make([]byte, n+2)
		_, err = io.ReadFull(c.reader, text)
		return line + string(text), err
	case '*', '%':
		if line[0] == '%' {
			n *= 2
		}
		for range n {
			item, err := c.read()
			if err != nil {
				return "", err
			}
			line += item
		}
	}
	return line, nil
}

// luaText is a text as Lua writes one.
func luaText(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "\\%03d", text[i])
	}
	return `"` + b.String() + `"`
}

// Each story is told to both servers.
func TestScriptsAreKnownAsToMiniredis(t *testing.T) {
	const source, other = "return redis.call('INCR', 'n')", "return 2"
	there := dial(t, stock(t))
	sum := func(source string) string { return strings.Fields(there.ask(t, "SCRIPT", "LOAD", source))[1] }
	fill := map[string]string{"SOURCE": source, "OTHER": other, "BAD": "return this is no Lua",
		"AWAY": "redis.call('SELECT', 5) " + source, "SHA1": sum(source), "SHA1-OTHER": sum(other)}
	for name, story := range map[string]string{
		"by digest":       "EVALSHA SHA1 0 | EVAL SOURCE 0 | EVALSHA SHA1 0",
		"loaded":          "SCRIPT LOAD SOURCE | EVALSHA SHA1 0 | SCRIPT EXISTS SHA1 SHA1-OTHER",
		"exists":          "EVAL SOURCE 0 | SCRIPT EXISTS SHA1 SHA1-OTHER | EVAL OTHER 0 | SCRIPT EXISTS SHA1-OTHER",
		"flushed":         "EVAL SOURCE 0 | SCRIPT FLUSH | EVALSHA SHA1 0 | SCRIPT EXISTS SHA1",
		"transaction":     "EVAL SOURCE 0 | MULTI | EVALSHA SHA1 0 | EVAL OTHER 0 | EXEC | EVALSHA SHA1 0",
		"other database":  "EVAL SOURCE 0 | SELECT 2 | EVALSHA SHA1 0 | GET n | SELECT 0 | GET n",
		"within a script": "EVAL AWAY 0 | EVAL SOURCE 0 | GET n | SELECT 5 | GET n",
		"wrong": "EVAL | EVAL SOURCE | EVAL SOURCE x | EVAL SOURCE -1 | EVAL SOURCE 1 | EVALSHA SHA1 | SCRIPT | " +
			"SCRIPT LOAD | SCRIPT NONE | EVAL BAD x",
	} {
		t.Run(name, func(t *testing.T) {
			ours, its := dial(t, server(t)), dial(t, stock(t))
			for command := range strings.SplitSeq(story, " | ") {
				words := strings.Fields(command)
				for i, word := range words {
					if text, ok := fill[word]; ok {
						words[i] = text
					}
				}
				if got, want := ours.ask(t, words...), its.ask(t, words...); got != want {
					t.Fatalf("%s: answered %q, by miniredis %q", command, got, want)
				}
			}
		})
	}
}

// What only a real server does ends the script, whatever it catches.
func TestOtherDecisionsAreRefused(t *testing.T) {
	conn := dial(t, server(t))
	for source, what := range map[string]string{
		"redis.pcall('NOSUCH') return 1":                                              `command "NOSUCH"`,
		"return redis.pcall('BITFIELD', 'k', 'INCRBY', 'u8', '0', '1')":               `command "BITFIELD"`,
		"pcall(redis.call, 'SPOP', 's') return 1":                                     "SPOP",
		"return redis.call('SRANDMEMBER', 's')":                                       "SRANDMEMBER",
		"return redis.call('hrandfield', 'h')":                                        "HRANDFIELD",
		"return redis.call('ZRANDMEMBER', 'z')":                                       "ZRANDMEMBER",
		"return redis.call('BLPOP', 'l', 0)":                                          "BLPOP",
		"return redis.call('BITCOUNT', 'k')":                                          "BITCOUNT",
		"return redis.call('GETRANGE', 'k', -1, -2)":                                  "GETRANGE",
		"return redis.call('HSCAN', 'h', 0, 'COUNT', 10)":                             "HSCAN",
		"return redis.call('LMOVE', 'l', 'm', 'LEFT', 'LEFT')":                        "LMOVE",
		"return redis.call('SUNIONSTORE', 'u', 's')":                                  "SUNIONSTORE",
		"return redis.call('ZRANGE', 'z', '-', '+', 'BYLEX')":                         "ZRANGE",
		"redis.call('ZADD', 'z', 'inf', 'a') redis.call('ZINCRBY', 'z', '-inf', 'a')": "a score that is no number",
		"redis.call('HSET', 'h', 'f', '9223372036854775807') " +
			"redis.call('HINCRBY', 'h', 'f', 1)": "64 bits",
		"table.foreachi({}, type)":                                  "table.foreachi",
		"return redis.call('PEXPIREAT', 'k', '99999999999999')":     "292 years",
		"return redis.call('ZPOPMIN', 'z', 0)":                      "ZPOPMIN",
		"return redis.pcall('PFCOUNT', 'k')":                        "PFCOUNT",
		"return redis.pcall('ZADD', 'z', 'GT', 'INCR', 1, 'a')":     "ZADD",
		"return redis.pcall('ZRANGE', 'z', 0, -1, 'REV', 'REV')":    "ZRANGE",
		"return redis.pcall('LINDEX', 'l', 2^31)":                   "LINDEX",
		"return redis.pcall('SET', 'k', 'v', 'GET\\0')":             "SET",
		"return redis.pcall('INCRBYFLOAT', 'k', '1e400')":           "1e400",
		"return redis.pcall('SET', 'k', 'v', 'EX', 1, 'EX', 2)":     "EX",
		"pcall(function() return struct.pack('i', 1) end) return 1": "struct",
		"return math.exp(1)":                                        "math.exp",
		"return 3 ^ 0.5":                                            "^",
		"redis.setresp(3)":                                          "redis.setresp(3)",
		"return cjson.new()":                                        "cjson.new",
		"return pcall(string.dump, type)":                           "string.dump",
		"return cmsgpack.pack(1)":                                   "cmsgpack",
	} {
		got := conn.ask(t, "EVAL", source, "0")
		refused := strings.HasPrefix(got, "-VTCMD ") && strings.Contains(got, "--redis process")
		if !refused || !strings.Contains(got, what) {
			t.Errorf("%s: answered %q; want %s refused", source, got, what)
		}
	}
}

// These end miniredis, or are told in other words there.
func TestScriptsThatMiniredisDoesNotAnswer(t *testing.T) {
	conn := dial(t, server(t))
	const limit = "-ERR reached lua stack limit\r\n"
	for source, want := range map[string]string{
		"local t = {} t[1] = t return t":          limit,
		"local t = {} t[1], t[2] = t, t return t": limit,
		"return type": "$-1\r\n",
		"return tonumber(string.match('x', '%d')) == nil":                          ":1\r\n",
		"return tonumber(string.match('x', '[%d]')) == nil":                        ":1\r\n",
		"return {tonumber('1e3'), tonumber(' 5e-05 ') * 1e6, tonumber('1e3', 36)}": "*3\r\n:1000\r\n:50\r\n:1803\r\n",
		"return {tonumber('010'), tonumber('123456789012345')}":                    "*2\r\n:10\r\n:123456789012345\r\n",
		"return {tonumber('0x1e'), tonumber('-inf') == -1/0, tonumber('time')}":    "*2\r\n:30\r\n:1\r\n",
		"return setmetatable({}, {__index = error})":                               "*0\r\n",
		"return {redis.call('PING'), coroutine.create(function() end)}":            "*2\r\n+PONG\r\n$-1\r\n",
		"return getmetatable(redis.call('SET', 'k', 1)) == nil":                    ":1\r\n",
		"local function f() return coroutine.wrap(f)() end return pcall(f)":        "$-1\r\n",
	} {
		if got := conn.ask(t, "EVAL", source, "0"); got != want {
			t.Errorf("%q: answered %q, want %q", source, got, want)
		}
	}
	for source, want := range map[string]string{
		"\nx = 1":        "user_script:2: Attempt to modify a readonly table , on @user_script:2.",
		"return x":       "user_script:1: Script attempted to access nonexistent global variable 'x'",
		"error('100%d')": "user_script:1: 100%d , on @user_script:1.",
		"local function f() return 1 + f() end return f()": "user_script:1: stack overflow",
	} {
		got := conn.ask(t, "EVAL", source, "0")
		want = "-ERR " + want
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: answered %q, want %q …", source, got, want)
		}
	}
}

func TestAScriptIsAlone(t *testing.T) {
	m := server(t)
	const connections = 4
	each := longtest.Of(500, 100)
	var done sync.WaitGroup
	for i := range connections {
		conn := dial(t, m)
		if i == 0 {
			conn.ask(t, "SELECT", "0") // from then on miniredis's own EVAL is for this one
		}
		done.Go(func() {
			for range each {
				conn.ask(t, "EVAL", "redis.call('SET', 'n', (redis.call('GET', 'n') or 0) + 1)", "0")
			}
		})
	}
	done.Wait()
	if got := dial(t, m).ask(t, "GET", "n"); !strings.Contains(got, fmt.Sprintf("\n%d\r", connections*each)) {
		t.Errorf("%d connections count to %d each, together to %q", connections, each, got)
	}
}

// A script makes a larger stack once, and not in each call that needs it.
func TestALargeStackIsKept(t *testing.T) {
	conn := dial(t, server(t))
	for _, source := range []string{
		"local t = {1} for i = 1, 200000 do for k in pairs(t) do end end",
		`local function last(...) local v for i = 1, select('#', ...) do v = select(i, ...) end return v end
local t = {} for i = 1, 500 do t[i] = i end for i = 1, 10 do last(unpack(t)) end`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		conn.ask(t, "EVAL", source, "0")
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 4<<20 {
			t.Errorf("%s: made %d MB", source, made>>20)
		}
	}
}

// What a call costs, beside miniredis's own EVAL.
func BenchmarkCall(b *testing.B) {
	const source = "for i = 1, 1000 do redis.call('GET', KEYS[1]) end"
	for name, m := range map[string]*miniredis.Miniredis{"ours": server(b), "miniredis": stock(b)} {
		b.Run(name, func(b *testing.B) {
			conn := dial(b, m)
			b.ReportAllocs()
			for b.Loop() {
				conn.ask(b, "EVAL", source, "1", "k")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
		})
	}
}

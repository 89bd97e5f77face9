package embedded_test

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	_ "ratelab/internal/host" // knows containers
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// alikeHead shows values exactly, and an error of Lua as no more than an error: each Lua has its own words.
const alikeHead = `local function show(ok, ...)
  if not ok then return 'error' end
  local t, n = {...}, select('#', ...)
  for i = 1, n do
    local v = t[i]
    if type(v) == 'number' then t[i] = string.format('number %.17g', v)
    elseif type(v) == 'string' then t[i] = 'string ' .. v
    elseif type(v) == 'table' then t[i] = {'table', show(true, unpack(v))}
    else t[i] = type(v) .. ' ' .. (type(v) == 'boolean' and tostring(v) or '') end
  end
  t[n + 1] = n
  return t
end `

// A line of testdata/alike.txt is an expression of Lua after "=", commands with | between them after ">", and a whole
// script after "!". A line that begins with a number is for servers of that version and later ones.
var alikeLine = regexp.MustCompile(`^(\d*) *([=>!]) (.*)$`)

// bare is what only Redis says in errors, or only Valkey, and the lengths of texts.
var bare = regexp.MustCompile(`\$\d+\r\n|Redis |redis lib |(Lua redis lib c|C)ommand `)

// alike are the scripts of the lines.
func alike(t testing.TB) (lines, sources []string, since []int) {
	t.Helper()
	f, err := os.Open("testdata/alike.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found := alikeLine.FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("%q is no line of testdata/alike.txt", line)
		}
		version, source := 0, found[3]
		fmt.Sscan(found[1], &version)
		switch found[2] {
		case "=":
			source = alikeHead + "return show(pcall(function() return " + source + " end))"
		case ">":
			var calls []string
			for command := range strings.SplitSeq(source, " | ") {
				var words []string
				for _, word := range strings.Fields(command) {
					words = append(words, luaText(strings.Trim(word, `"`)))
				}
				calls = append(calls, "redis.pcall("+strings.Join(words, ", ")+")")
			}
			source = "local t = {" + strings.Join(calls, ", ") + "} for i = 1, #t do " +
				"if type(t[i]) == 'table' and t[i].err then t[i] = 'error ' .. t[i].err end end return t"
		}
		lines, sources, since = append(lines, line), append(sources, source), append(since, version)
	}
	return lines, sources, since
}

// The raw replies of the embedded server are those of every real one there is.
func TestRepliesAreThoseOfRedis(t *testing.T) {
	lines, sources, since := alike(t)
	ours := dial(t, server(t))
	got := make([]string, len(sources))
	for i, source := range sources {
		ours.ask(t, "FLUSHALL")
		got[i] = ours.ask(t, "EVAL", source, "2", "k1", "k2", "a1", "7", "0.5")
	}
	compare := func(t *testing.T, real *redis.Server) {
		conn, err := real.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		its := &connection{conn, bufio.NewReader(conn)}
		var version int
		fmt.Sscan(real.Version, &version)
		for i, source := range sources {
			if since[i] > version {
				continue
			}
			its.ask(t, "FLUSHALL")
			got, want := got[i], its.ask(t, "EVAL", source, "2", "k1", "k2", "a1", "7", "0.5")
			if real.Name == "valkey" && strings.Contains(got, "ERR ") { // it does not name Redis in errors
				got, want = bare.ReplaceAllString(got, ""), bare.ReplaceAllString(want, "")
			}
			if got != want {
				t.Errorf("%s\nanswered %q\nby Redis %q", lines[i], got, want)
			}
		}
	}
	t.Run("process", func(t *testing.T) { compare(t, redistest.Private(t)) })
	for _, image := range redistest.Images() {
		t.Run("container="+image, func(t *testing.T) { compare(t, redistest.Container(t, image)) })
	}
}

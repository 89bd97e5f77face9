package embedded_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"ratelab/internal/longtest"
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
// script after "!". A line that begins with a number is for servers of that version and later ones. A line that begins
// with r is not for Valkey, whose tables have another order. A line that begins with d nests more calls than a browser
// has room for.
var alikeLine = regexp.MustCompile(`^(\d*|[rd]) *([=>!]) (.*)$`)

// Marks of lines in the place of a version.
const onlyRedis, deep = -1, -2

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
		switch found[1] {
		case "r":
			version = onlyRedis
		case "d":
			version = deep
		default:
			fmt.Sscan(found[1], &version)
		}
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

// answers are those of the embedded server, without those to deep calls if shallow is set.
func answers(t testing.TB, shallow bool) []string {
	t.Helper()
	_, sources, since := alike(t)
	ours := dial(t, server(t))
	got := make([]string, len(sources))
	for i, source := range sources {
		if shallow && since[i] == deep {
			continue
		}
		ours.ask(t, "FLUSHALL")
		got[i] = ours.ask(t, "EVAL", source, "2", "k1", "k2", "a1", "7", "0.5")
	}
	return got
}

// Processors make other whole numbers of numbers that are too large, and other NaNs.
func TestTheAnswersAreTheSameOnWebAssembly(t *testing.T) {
	sum := fmt.Sprintf("answers %x", sha256.Sum256([]byte(strings.Join(answers(t, true), "\n"))))
	if runtime.GOOS == "js" {
		fmt.Println(sum)
		return
	}
	longtest.Skip(t, "compiles this package for another system")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	program := filepath.Join(t.TempDir(), "test.wasm")
	build := exec.Command("go", "test", "-c", "-vet=off", "-trimpath", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	play := exec.Command(node, runner, program, "-test.run=^"+t.Name()+"$")
	play.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "TMPDIR=/tmp"}
	if out, err := play.CombinedOutput(); err != nil || !strings.Contains(string(out), sum) {
		t.Errorf("%v: %s\nwant %s", err, out, sum)
	}
}

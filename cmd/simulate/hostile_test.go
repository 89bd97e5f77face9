package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// hostileTable is the page that TestHostileScripts holds to what happens: go test ./cmd/simulate -run Hostile -update
// writes it anew.
const hostileTable = "../../docs/hostile-scripts.md"

const hostileHead = `# What hostile scripts get

A script that one is given, and the address of a Redis: this page says what a hundred scripts tried, and what came of
it. Each ran as ` + "`simulate poisson -a none --script NAME.lua --redis URL`" + ` against a given Redis 7.0, where MONITOR wrote
down every command, and once more on the embedded server. No command named a key that is not the script's own, and
nothing was left behind. Exit code 2 is a script that is refused, 3 one whose call failed, 0 one that ran and did no
harm. The scripts are in cmd/simulate/testdata/hostile; the test that runs them writes this table.

| script | tries | gets |
|---|---|---|
`

// foreign are keys that are no script's own. The scripts name some of them.
var foreign = []string{"victim", "stats", "x", "ratelab:ffffffffffff:theirs"}

// attack is one script of the archive.
type attack struct{ name, tries string }

// unpacked writes the archives' files into a folder, with a binding for each script that has none.
func unpacked(t *testing.T, folder string) (all []attack) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/hostile/scripts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
		stem, isLua := strings.CutSuffix(f.Name, ".lua")
		if !isLua || strings.HasSuffix(stem, ".init") {
			continue
		}
		_, rest, ok := strings.Cut(string(f.Data), "-- tries: ")
		tries, _, _ := strings.Cut(rest, "\n")
		if !ok {
			t.Errorf("%s does not say what it tries", f.Name)
		}
		all = append(all, attack{stem, tries})
		if files[stem+".yaml"] == nil {
			files[stem+".yaml"] = []byte(`{keys: ["rl:{key}"], args: ["{limit}"], admitted: [1]}`)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// outcome is the exit code and the first line on standard error; on standard output there is nothing but a table.
func (a attack) outcome(t *testing.T, folder, server string) (code int, says string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "simulate", "poisson", "-a", "none", "--script", a.name+".lua", "--charts", "none",
		"--redis", server, "-q")
	cmd.Dir = folder
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s on %s: %v", a.name, server, err)
	}
	for _, trace := range []string{"goroutine ", "panic", "fatal error"} {
		if strings.Contains(stderr.String(), trace) {
			t.Fatalf("%s on %s: the program crashes:\n%.2000s", a.name, server, &stderr)
		}
	}
	if err != nil && stdout.Len() > 0 {
		t.Errorf("%s on %s: figures on standard output of a run that failed:\n%s", a.name, server, &stdout)
	}
	if err == nil && !strings.HasPrefix(stdout.String(), "How much of random traffic") {
		t.Errorf("%s on %s: something of its own on standard output:\n%.500s", a.name, server, &stdout)
	}
	if strings.ContainsFunc(stderr.String(), func(r rune) bool { return r < ' ' && r != '\n' }) {
		t.Errorf("%s on %s: control characters on standard error: %q", a.name, server, &stderr)
	}
	if lines := strings.Count(stderr.String(), "\n"); lines > 3 || stderr.Len() > 2000 {
		t.Errorf("%s on %s: %d lines, %d bytes on standard error, want a few: %.500s", a.name, server, lines,
			stderr.Len(), &stderr)
	}
	said := waits.ReplaceAllString(stderr.String(), "")
	first, _, _ := strings.Cut(said, "\n")
	first = strings.TrimPrefix(first, "simulate: ")
	for _, prefix := range []string{a.name + ".lua: ", a.name + ": "} {
		first = strings.TrimPrefix(first, prefix)
	}
	return cmd.ProcessState.ExitCode(), first
}

// Every hostile script of the archive runs against a given server. None gets anything, the page says so, and by the
// server's own account no foreign key is named.
func TestHostileScripts(t *testing.T) {
	longtest.Skip(t, "runs two hundred commands")
	s := redistest.Private(t)
	address := "unix://" + redistest.Socket(t, s)
	witness := watch(t, s)
	folder := t.TempDir()
	attacks := unpacked(t, folder)
	if len(attacks) < 60 {
		t.Errorf("%d hostile scripts; want 60", len(attacks))
	}
	var page strings.Builder
	page.WriteString(hostileHead)
	for _, a := range attacks {
		code, says := a.outcome(t, folder, address)
		gets := orSays(code, says)
		if embeddedCode, embedded := a.outcome(t, folder, redis.KindEmbedded); orSays(embeddedCode,
			embedded) != gets {
			gets += "; embedded: " + orSays(embeddedCode, embedded)
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", a.name, a.tries, strings.ReplaceAll(gets, "|", "\\|"))
		witness.mark(t, ours)
		nothingIsLeft(t, s, a.name)
		witness.mark(t, scripted)
	}
	witness.end(t)
	asDocumented(t, s, page.String())
}

// waits is what is said on a busy machine only.
var waits = regexp.MustCompile(`(?m)^simulate: waiting for .*\n`)

// digest is that of the wrapper, which the embedded server names.
var digest = regexp.MustCompile(` script: [0-9a-f]{40}, &c\.`)

// orSays is the outcome in words. Which of its bounds, of time or memory, stops a script depends on the
// machine.
func orSays(code int, says string) string {
	switch {
	case code == 0:
		return "runs, and does no harm"
	case strings.Contains(says, "no answer to") || strings.Contains(says, "memory"):
		says = "is stopped: it takes too long, or too much"
	}
	return fmt.Sprintf("%s (%d)", digest.ReplaceAllString(says, ""), code)
}

// nothingIsLeft checks that the server holds no key, and sees to it for the next script.
func nothingIsLeft(t *testing.T, s *redis.Server, after string) {
	t.Helper()
	if keys := s.Client.Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("after %s the server holds %q", after, keys)
		s.Client.FlushAll(t.Context())
	}
}

// asDocumented compares the page with the one in docs. Another version of Redis says other words for the same errors.
func asDocumented(t *testing.T, s *redis.Server, page string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(hostileTable, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !strings.HasPrefix(s.Version, "7.0.") {
		t.Logf("the page is that of Redis 7.0, and not compared with %s", s)
		return
	}
	was, err := os.ReadFile(hostileTable)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(page, "\n"), strings.Split(string(was), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s differs from line %d on; read why, then write it anew with -update:\n%.400s", hostileTable,
				i+1, strings.Join(got[min(i, len(got)):], "\n"))
		}
	}
}

// witness reads what MONITOR shows of one server.
type witness struct {
	conn    net.Conn
	said    redis.Client
	checked chan int // commands, once it has seen the last of them
	named   []string // lines in which a foreign key is named
}

// ours and scripted part the test's own commands from those of the program, as ECHO shows them.
const (
	ours     = "what follows is the test's own"
	scripted = "what follows is the program's"
	theEnd   = "the end"
)

func watch(t *testing.T, s *redis.Server) *witness {
	t.Helper()
	conn, err := s.Open(t.Context())
	if err == nil {
		_, err = conn.Write([]byte("MONITOR\r\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	w := &witness{conn: conn, said: s.Client, checked: make(chan int, 1)}
	reader := bufio.NewReaderSize(conn, 1<<20)
	if line, err := reader.ReadString('\n'); err != nil || line != "+OK\r\n" {
		t.Fatalf("MONITOR: %q, %v", line, err)
	}
	go w.read(reader)
	w.mark(t, scripted)
	return w
}

func (w *witness) mark(t *testing.T, what string) {
	t.Helper()
	if err := w.said.Echo(t.Context(), what).Err(); err != nil {
		t.Fatal(err)
	}
}

// read notes every command of the program in which an argument names a foreign key. The source of a script names what
// it likes: what counts is what it does, which MONITOR shows as commands of lua.
func (w *witness) read(lines *bufio.Reader) {
	commands, reading := 0, false
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		args := arguments(line)
		switch {
		case len(args) == 2 && strings.EqualFold(args[0], "echo"):
			reading = args[1] == scripted
			if args[1] == theEnd {
				w.checked <- commands
				return
			}
		case !reading || len(args) == 0:
		default:
			commands++
			if name := strings.ToLower(args[0]); name == "eval" || name == "script" && len(args) > 2 {
				args = append(args[:1:1], args[2:]...)
			}
			if strings.EqualFold(args[0], "info") {
				args = args[:1] // whose sections are no keys
			}
			if slices.ContainsFunc(args[1:], func(a string) bool { return slices.Contains(foreign, a) }) ||
				dangerous[strings.ToLower(args[0])] {
				w.named = append(w.named, line)
			}
		}
	}
}

// dangerous are commands that no run sends to a given server.
var dangerous = map[string]bool{"flushall": true, "flushdb": true, "config": true, "shutdown": true, "keys": true,
	"select":   true,
	"function": true, "publish": true, "debug": true, "swapdb": true, "sort": true}

var quotedArgument = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// arguments are those of a line such as 1700000000.000001 [0 lua] "get" "k".
func arguments(line string) (args []string) {
	for _, quoted := range quotedArgument.FindAllString(line, -1) {
		arg, err := strconv.Unquote(quoted)
		if err != nil {
			arg = quoted
		}
		args = append(args, arg)
	}
	return args
}

// end says what was seen.
func (w *witness) end(t *testing.T) {
	t.Helper()
	w.mark(t, theEnd)
	select {
	case commands := <-w.checked:
		if commands < 1000 {
			t.Errorf("MONITOR showed %d commands of the program; is it watching the right server?", commands)
		}
	case <-time.After(time.Minute):
		t.Fatal("MONITOR never showed the last command")
	}
	for _, line := range w.named {
		t.Errorf("a foreign key, or a command that nobody may send, is named: %.300s", line)
	}
}

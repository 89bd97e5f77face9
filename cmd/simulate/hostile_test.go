package main

import (
	"bufio"
	"bytes"
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

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// hostileAnswers is what each script of the archive gets: go test ./cmd/simulate -run Hostile -update writes it anew.
const hostileAnswers = "testdata/hostile/answers.txt"

// foreign are keys that are no script's own. The scripts name some of them.
var foreign = []string{"victim", "stats", "x", "ratelab:ffffffffffff:theirs"}

// attack is the name of a script of the archive.
type attack string

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
		if !strings.Contains(string(f.Data), "-- tries: ") {
			t.Errorf("%s does not say what it tries", f.Name)
		}
		all = append(all, attack(stem))
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
	cmd := exec.CommandContext(t.Context(), "simulate", "poisson", "-a", "none", "--script", string(a)+".lua",
		"--charts", "none", "--redis", server, "-q")
	cmd.Dir = folder
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s on %s: %v", a, server, err)
	}
	for _, trace := range []string{"goroutine ", "panic", "fatal error"} {
		if strings.Contains(stderr.String(), trace) {
			t.Fatalf("%s on %s: the program crashes:\n%.2000s", a, server, &stderr)
		}
	}
	if err != nil && stdout.Len() > 0 {
		t.Errorf("%s on %s: figures on standard output of a run that failed:\n%s", a, server, &stdout)
	}
	if err == nil && !strings.HasPrefix(stdout.String(), "How much of random traffic") {
		t.Errorf("%s on %s: something of its own on standard output:\n%.500s", a, server, &stdout)
	}
	if strings.ContainsFunc(stderr.String(), func(r rune) bool { return r < ' ' && r != '\n' }) {
		t.Errorf("%s on %s: control characters on standard error: %q", a, server, &stderr)
	}
	if lines := strings.Count(stderr.String(), "\n"); lines > 3 || stderr.Len() > 2000 {
		t.Errorf("%s on %s: %d lines, %d bytes on standard error, want a few: %.500s", a, server, lines,
			stderr.Len(), &stderr)
	}
	said := waits.ReplaceAllString(stderr.String(), "")
	first, _, _ := strings.Cut(said, "\n")
	first = strings.TrimPrefix(first, "simulate: ")
	for _, prefix := range []string{string(a) + ".lua: ", string(a) + ": "} {
		first = strings.TrimPrefix(first, prefix)
	}
	return cmd.ProcessState.ExitCode(), first
}

// Every hostile script of the archive runs against a given server and on the embedded one. Each gets the answer that is
// written down, and leaves no key. MONITOR shows no command of the program that names a foreign key.
func TestHostileScripts(t *testing.T) {
	longtest.Skip(t, "runs two hundred commands")
	s := redistest.Private(t)
	address := "unix://" + redistest.Socket(t, s)
	witness := watch(t, s)
	folder := t.TempDir()
	attacks := unpacked(t, folder)
	var answers strings.Builder
	for _, a := range attacks {
		code, says := a.outcome(t, folder, address)
		gets := orSays(code, says)
		if embeddedCode, embedded := a.outcome(t, folder, redis.KindEmbedded); orSays(embeddedCode,
			embedded) != gets {
			gets += "; embedded: " + orSays(embeddedCode, embedded)
		}
		fmt.Fprintf(&answers, "%s: %s\n", a, gets)
		witness.mark(t, ours)
		nothingIsLeft(t, s, string(a))
		witness.mark(t, scripted)
	}
	witness.end(t)
	asWritten(t, s, answers.String())
}

// waits is what is said on a busy machine only.
var waits = regexp.MustCompile(`(?m)^simulate: waiting for .*\n`)

// digest is that of the wrapper, which the embedded server names.
var digest = regexp.MustCompile(` script: [0-9a-f]{40}, &c\.`)

// bounded are messages about what takes too long, or too much.
var bounded = regexp.MustCompile(`no answer to|memory|more than 100000 values|string too large`)

// orSays is the outcome in words. Which of its bounds, of time or memory, stops a script depends on the
// machine.
func orSays(code int, says string) string {
	switch {
	case code == 0:
		return "runs, and does no harm"
	case bounded.MatchString(says):
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

// asWritten compares the answers with those in testdata. Another version of Redis words its errors otherwise.
func asWritten(t *testing.T, s *redis.Server, answers string) {
	t.Helper()
	if *update {
		write(t, hostileAnswers, answers)
		return
	}
	if !strings.HasPrefix(s.Version, "7.0.") {
		t.Logf("the answers are those of Redis 7.0, and not compared with %s", s)
		return
	}
	want, err := os.ReadFile(hostileAnswers)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), answers); diff != "" {
		t.Errorf("%s (-want +got), which -update writes:\n%s", hostileAnswers, diff)
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
	if commands := <-w.checked; commands < 1000 {
		t.Errorf("MONITOR showed %d commands of the program; is it watching the right server?", commands)
	}
	for _, line := range w.named {
		t.Errorf("a foreign key, or a command that nobody may send, is named: %.300s", line)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is far more than any call takes; it ends one that hangs.
const patience = 5 * time.Minute

// call is one run of the program.
type call struct {
	code           int
	stdout, stderr string
}

// program is a run of simulate in the script's folder and environment.
func program(ctx context.Context, ts *testscript.TestScript, env, args []string) *exec.Cmd {
	path, err := exec.LookPath("simulate")
	ts.Check(err)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TMP", "SYSTEMROOT", "DOCKER_HOST", "REDIS_PASSWORD", "TESTCONTAINERS_RYUK_DISABLED"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func execute(ts *testscript.TestScript, env, args []string) call {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := program(ctx, ts, env, args)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		ts.Fatalf("simulate %q hangs", args)
	}
	return call{exitStatus(ts, err), stdout.String(), stderr.String()}
}

func exitStatus(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return exitOK
}

// runCmd is: run CODE ARGUMENT…
// The output is there for stdout, stderr and cmp.
func runCmd(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := execute(ts, nil, args[1:])
	fmt.Fprint(ts.Stdout(), got.stdout)
	fmt.Fprint(ts.Stderr(), got.stderr)
	if got.code != want {
		ts.Fatalf("exit code %d; want %d\n%s%s", got.code, want, got.stdout, got.stderr)
	}
}

// headCmd is: head ARGUMENT…
// It closes the pipe after the first line of standard output, as head -1 does, and wants no more than silence.
func headCmd(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := program(ctx, ts, nil, args)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	_, err = pipe.Read(make([]byte, 1))
	ts.Check(err)
	ts.Check(pipe.Close())
	_ = cmd.Wait() // by the signal of the broken pipe, where there is such a thing
	fmt.Fprint(ts.Stderr(), stderr.String())
	if strings.Contains(stderr.String(), "panic") || strings.Contains(stderr.String(), "goroutine ") {
		ts.Fatalf("%s", stderr.String())
	}
}

// secrets stand in the scripts as passwords; no message may repeat one.
var secrets = []string{"hunter2", "s3cret"}

// refusalsCmd is: refusals FILE
// It makes every call of a transcript whose lines are "$ simulate ARGUMENT…" and what follows, and prints the
// transcript as it really went. Besides the words, which cmp compares, each call keeps the laws of a refusal: nothing
// on standard output, no file made, lost or changed, each line by the program, no password, nothing of Go's.
func refusalsCmd(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		line = strings.TrimSuffix(line, "\n")
		words, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if strings.HasPrefix(line, "# ") {
				fmt.Fprintln(ts.Stdout(), line)
			}
			continue
		}
		env, arguments := splitCall(ts, words)
		before := snapshot(ts)
		got := execute(ts, env, arguments)
		fmt.Fprintf(ts.Stdout(), "%s\n%s[%d]\n", line, named(ts, got.stderr), got.code)
		if after := snapshot(ts); after != before {
			ts.Fatalf("%s\nchanged files:\nbefore:\n%safter:\n%s", line, before, after)
		}
		lawful(ts, line, got)
	}
}

func lawful(ts *testscript.TestScript, line string, got call) {
	if got.code != exitUsage && got.code != exitHarness {
		ts.Fatalf("%s\nexit code %d\n%s%s", line, got.code, got.stdout, got.stderr)
	}
	if got.stdout != "" {
		ts.Fatalf("%s\nis refused and prints\n%s", line, got.stdout)
	}
	for text := range strings.Lines(got.stderr) {
		if !strings.HasPrefix(text, "simulate: ") {
			ts.Fatalf("%s\nprints a line of somebody else's: %s", line, text)
		}
	}
	for _, bad := range append([]string{"panic", "goroutine ", "runtime error", "strconv.", "%!", "<nil>", "0xc0"}, secrets...) {
		if strings.Contains(got.stderr, bad) {
			ts.Fatalf("%s\nthe message has %q in it: %s", line, bad, got.stderr)
		}
	}
}

// splitCall reads NAME=VALUE… simulate ARGUMENT…; a word may be in double quotes, with Go's escapes.
func splitCall(ts *testscript.TestScript, line string) (env, args []string) {
	var words []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		word, rest, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, `"`) {
			quoted, err := strconv.QuotedPrefix(line)
			ts.Check(err)
			word, err = strconv.Unquote(quoted)
			ts.Check(err)
			rest = line[len(quoted):]
		}
		words = append(words, os.Expand(word, ts.Getenv))
		line = rest
	}
	for i, word := range words {
		if word == "simulate" {
			return words[:i], words[i+1:]
		}
	}
	ts.Fatalf("no call of simulate: %q", words)
	return nil, nil
}

// named puts names in place of what differs from run to run.
func named(ts *testscript.TestScript, text string) string {
	for _, name := range []string{"WORK", "WEB", "LOCKED", "OPEN", "REPLICA", "CLUSTER"} {
		if value := ts.Getenv(name); value != "" {
			text = strings.ReplaceAll(text, value, "$"+name)
		}
	}
	return text
}

// background is a run that goes on while the script does.
type background struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	done           chan struct{} // closed when it has ended
	err            error         // how; valid after done
}

func (b *background) ended() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

type backgroundKey struct{}

func running(ts *testscript.TestScript) map[string]*background {
	return ts.Value(backgroundKey{}).(map[string]*background)
}

// startCmd is: start ARGUMENT…
func startCmd(ts *testscript.TestScript, _ bool, args []string) {
	b := &background{cmd: program(context.Background(), ts, nil, args), done: make(chan struct{})}
	b.cmd.Stdout, b.cmd.Stderr = &b.stdout, &b.stderr
	ts.Check(b.cmd.Start())
	running(ts)["run"] = b
	go func() {
		b.err = b.cmd.Wait()
		close(b.done)
	}()
	ts.Defer(func() {
		b.cmd.Process.Kill()
		<-b.done
	})
}

// signalCmd is: signal INT or signal KILL, for the run in the background.
func signalCmd(ts *testscript.TestScript, _ bool, args []string) {
	signal := map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}[args[0]]
	ts.Check(running(ts)["run"].cmd.Process.Signal(signal))
}

// endedCmd is: ended CODE, which waits for the run in the background; -1 is a run that a signal ended.
func endedCmd(ts *testscript.TestScript, _ bool, args []string) {
	b := running(ts)["run"]
	timer := time.AfterFunc(patience, func() { b.cmd.Process.Kill() })
	defer timer.Stop()
	<-b.done
	code := exitStatus(ts, b.err)
	io.WriteString(ts.Stdout(), b.stdout.String())
	io.WriteString(ts.Stderr(), named(ts, b.stderr.String()))
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d; want %s\n%s%s", code, args[0], b.stdout.String(), b.stderr.String())
	}
}

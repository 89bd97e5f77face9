package clitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ratelab/internal/redis/redistest"
)

// patience is the longest time for one call. It stops calls that hang.
const patience = 5 * time.Minute

// call is one run of the program.
type call struct {
	Code           int
	Stdout, Stderr string
}

// program returns a run of the program in the script's folder and environment.
func program(ctx context.Context, ts *testscript.TestScript, env, args []string) *exec.Cmd {
	return programNamed(ctx, ts, programName(ts), env, args)
}

// programNamed returns a run of another program that is part of the test binary.
func programNamed(ctx context.Context, ts *testscript.TestScript, name string, env, args []string) *exec.Cmd {
	path, err := exec.LookPath(name)
	ts.Check(err)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(environment(ts), env...)
	return cmd
}

// environment returns the script's variables that a run gets.
func environment(ts *testscript.TestScript) (settings []string) {
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TMP", "SYSTEMROOT", "DOCKER_HOST", "REDIS_PASSWORD",
		"TESTCONTAINERS_RYUK_DISABLED"} {
		if value := ts.Getenv(name); value != "" {
			settings = append(settings, name+"="+value)
		}
	}
	return settings
}

// runCmd is: run CODE ARGUMENT… or run CODE|CODE ARGUMENT…
// Its output is available to stdout, stderr and cmp. All calls of a script run in one process.
func runCmd(ts *testscript.TestScript, _ bool, args []string) {
	got := inSeries(ts, nil, args[1:])
	fmt.Fprint(ts.Stdout(), got.Stdout)
	fmt.Fprint(ts.Stderr(), got.Stderr)
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got.Code)) {
		ts.Fatalf("exit code %d; want %s\n%s%s", got.Code, args[0], got.Stdout, got.Stderr)
	}
}

// headCmd is: head ARGUMENT…
// It closes the pipe after the first bytes of standard output, as head -1 does. The program must not print a panic.
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
	_ = cmd.Wait() // SIGPIPE may end it
	fmt.Fprint(ts.Stderr(), stderr.String())
	if strings.Contains(stderr.String(), "panic") || strings.Contains(stderr.String(), "goroutine ") {
		ts.Fatalf("%s", stderr.String())
	}
}

// background is a run in the background of the script.
type background struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	done           chan struct{} // closed when the run has ended
	err            error         // how it ended; valid after done
}

func (b *background) ended() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// startCmd is: start ARGUMENT…
func startCmd(ts *testscript.TestScript, _ bool, args []string) {
	begin(ts, program(context.Background(), ts, nil, args))
}

// nohupCmd is: nohup ARGUMENT… It is start for a run that ignores SIGHUP from the beginning. Only on Unix.
func nohupCmd(ts *testscript.TestScript, _ bool, args []string) {
	cmd := program(context.Background(), ts, nil, nil)
	inner := append([]string{"-c", `trap "" HUP; exec "$@"`, "sh", cmd.Path}, args...)
	shell := exec.Command("sh", inner...)
	shell.Dir, shell.Env = cmd.Dir, cmd.Env
	begin(ts, shell)
}

// begin runs cmd in the background.
func begin(ts *testscript.TestScript, cmd *exec.Cmd) {
	b := &background{cmd: cmd, done: make(chan struct{})}
	b.cmd.Stdout, b.cmd.Stderr = &b.stdout, &b.stderr
	ts.Check(b.cmd.Start())
	of(ts).run = b
	go func() {
		b.err = b.cmd.Wait()
		close(b.done)
	}()
	ts.Defer(func() {
		b.cmd.Process.Kill()
		<-b.done
	})
}

// signalCmd is: signal INT, TERM, HUP, KILL, STOP or CONT. It signals the run in the background. Windows has only INT
// and KILL.
func signalCmd(ts *testscript.TestScript, _ bool, args []string) {
	signal, known := signals[args[0]]
	if !known {
		ts.Fatalf("no such signal: %s", args[0])
	}
	ts.Check(of(ts).run.cmd.Process.Signal(signal))
}

// endedCmd is: ended CODE. It waits for the end of the run in the background. CODE is -1 if a signal ended the run.
func endedCmd(ts *testscript.TestScript, _ bool, args []string) {
	b := of(ts).run
	timer := time.AfterFunc(patience, func() { b.cmd.Process.Kill() })
	defer timer.Stop()
	<-b.done
	code := b.cmd.ProcessState.ExitCode()
	io.WriteString(ts.Stdout(), b.stdout.String())
	io.WriteString(ts.Stderr(), named(ts, b.stderr.String()))
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d; want %s\n%s%s", code, args[0], b.stdout.String(), b.stderr.String())
	}
}

// freezeCmd is: freeze TIME, for which the run in the background stands still. Only on Unix.
func freezeCmd(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	ts.Check(redistest.Halt(of(ts).run.cmd.Process, d))
}

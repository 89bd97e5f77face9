//go:build unix

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/script/scripttest"
)

// processID asks a server which process it is.
func processID(t *testing.T, s *redis.Server) int {
	t.Helper()
	for line := range strings.Lines(s.Client.Info(t.Context(), "server").Val()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "process_id:"); ok {
			id, err := strconv.Atoi(text)
			if err != nil || id < 2 {
				t.Fatal(line, err)
			}
			return id
		}
	}
	t.Fatal("the server does not say its process_id")
	return 0
}

// noneLeft waits until no goroutine of the package, or of the connections, runs any more, and fails where one stays.
func noneLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for try := 0; ; try++ {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, "/internal/(") {
			return
		}
		if try == 500 {
			t.Fatalf("goroutines left over:\n%s", text)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// endless is a loop that ends when something breaks.
func endless(ctx context.Context, clock Stopwatch, callers []Caller) error {
	_, err := opened(ctx, every(time.Millisecond, 100_000, "k"), callers, Options{Clock: clock})
	return err
}

// A server that is killed in the middle ends the run with an error that redis can explain, and leaves nobody.
func TestAServerKilledInTheMiddle(t *testing.T) {
	clock := NewClock(time.Now())
	s, _, callers := workers(t.Context(), t, scripttest.Program(scripttest.Counting, "3"), 4, clock)
	id := processID(t, s)
	time.AfterFunc(30*time.Millisecond, func() { _ = unix.Kill(id, unix.SIGKILL) })
	err := endless(t.Context(), clock, callers)
	var absent *redis.Unavailable
	if err == nil || !errors.As(redis.Explain(err, s), &absent) ||
		!strings.Contains(absent.Error(), "during the run") {
		t.Errorf("error %v, explained as %v", err, redis.Explain(err, s))
	}
	noneLeft(t)
}

// A server that stands still does not keep a cancelled run.
func TestCancellationWhileTheServerStandsStill(t *testing.T) {
	clock := NewClock(time.Now())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, _, callers := workers(ctx, t, scripttest.Program(scripttest.Counting, "3"), 4, clock)
	id := processID(t, s)
	if err := unix.Kill(id, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Kill(id, unix.SIGCONT) }()
	time.AfterFunc(30*time.Millisecond, cancel)
	began := time.Now()
	if err := endless(ctx, clock, callers); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 20*time.Second { // an answer is waited for longer than that
		t.Errorf("took %v", took)
	}
	noneLeft(t)
}

// Set in the test binary's own environment, the test below is the child that is stopped.
const stoppedChild = "LOAD_TEST_STOPPED_CHILD"

// A generator that is stopped for 200 ms says so, every time.
func TestAStoppedGeneratorReportsAStall(t *testing.T) {
	if os.Getenv(stoppedChild) != "" {
		runStoppedChild(t)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAStoppedGeneratorReportsAStall$", "-test.v")
	child.Env = append(os.Environ(), stoppedChild+"=1")
	said, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(said)
	for line := ""; err == nil && line != measuring; {
		line, err = out.ReadString('\n')
	}
	if err == nil {
		err = redistest.Halt(child.Process, 200*time.Millisecond)
	}
	if err != nil {
		t.Error(err)
	}
	rest, _ := io.ReadAll(out)
	if err := child.Wait(); err != nil || !strings.Contains(string(rest), "the generator stood still for ") {
		t.Errorf("%v\n%s", err, rest)
	}
}

// measuring is the line with which the child says that it measures.
const measuring = "measuring\n"

// sayer is a limiter whose first request says that it has come.
type sayer struct {
	sink
	once func()
}

func (s sayer) Call(q limit.Request) (Outcome, error) {
	s.once()
	return s.sink.Call(q)
}

// runStoppedChild measures until it goes on after it was stopped.
func runStoppedChild(t *testing.T) {
	goesOn := make(chan os.Signal, 1)
	ctx, interrupt := context.WithCancelCause(t.Context())
	signal.Notify(goesOn, unix.SIGCONT)
	go func() { <-goesOn; interrupt(message.ErrInterrupted) }()
	clock := NewClock(time.Now())
	caller := sayer{sink{clock.Now}, sync.OnceFunc(func() { fmt.Print(measuring) })}
	r, err := opened(ctx, every(time.Millisecond, 60_000, "k"), []Caller{caller, caller},
		Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if r.Health.StallMax < 190*time.Millisecond {
		t.Errorf("stall of %v; want some 200ms", r.Health.StallMax)
	}
	for _, reason := range r.Reasons() {
		t.Log(reason.Code, reason.Statement)
	}
}

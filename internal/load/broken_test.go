//go:build unix

package load

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/script/scripttest"
)

// noneLeft waits until no goroutine of the package, or of the connections, runs any more.
func noneLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "/internal/(") {
		runtime.Gosched()
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
	id := redistest.ProcessID(t, s)
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
	id := redistest.ProcessID(t, s)
	if err := unix.Kill(id, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Kill(id, unix.SIGCONT) }()
	time.AfterFunc(30*time.Millisecond, cancel)
	if err := endless(ctx, clock, callers); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	noneLeft(t)
}

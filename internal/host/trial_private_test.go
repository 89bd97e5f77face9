package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/longtest"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// tried is the verdict on a script on a server of that kind.
func tried(t *testing.T, ctx context.Context, kind, source string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.lua")
	binding := strings.TrimSuffix(file, ".lua") + ".yaml"
	err := errors.Join(os.WriteFile(file, []byte(source), 0o600),
		os.WriteFile(binding, []byte(`{keys: ["rl:{key}"], admitted: [1]}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	own, err := limiter.OfScript(script.OnDisk(file), limit.Policy{Requests: 10, Window: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	sleep := func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
	first := traffic.List([]limit.Request{{Key: "k", Cost: 1}}, time.Second, true)
	s := Server{Spec: kind, Clock: replay.Clock{Now: time.Now, Sleep: sleep}}
	err = s.Try(ctx, &run.Plan{Scenario: &scenario.Scenario{Start: time.Unix(1_700_000_000, 0)}, Stream: first,
		Limiters: []*limiter.Limiter{own}})
	return err
}

// wantInput checks that the script is to blame, in one line that names it.
func wantInput(t *testing.T, err error, want string) {
	t.Helper()
	var input *replay.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "own.lua: on trial: ") ||
		!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want one line with %q", err, want)
	}
}

// On a process memory ends before the machine's does: Lua says so, or the server ends, which is the script's fault. On
// a machine that is busy, time may be over before.
func TestAGreedyScriptOnAProcess(t *testing.T) {
	longtest.Skip(t, "takes hundreds of megabytes twice")
	redistest.Private(t) // or skip
	if runtime.GOOS != "linux" {
		t.Skip("a process is not bounded on this system")
	}
	wantInput(t, tried(t, t.Context(), redis.KindProcess, "local s = 'x' while true do s = s .. s end"), "")
	wantInput(t, tried(t, t.Context(), redis.KindProcess,
		"local t = {} while true do t[#t + 1] = {1, 2, 3, 4, 5, 6, 7, 8} end"), "")
}

// An interrupt ends a trial, and the server with it.
func TestAnInterruptEndsATrial(t *testing.T) {
	redistest.Private(t) // or skip
	for _, kind := range []string{redis.KindProcess, redis.KindEmbedded} {
		stop := make(chan struct{})
		time.AfterFunc(300*time.Millisecond, func() { close(stop) })
		err := tried(t, message.WithWatch(t.Context(), message.Watch{Stop: stop}), kind, "while true do end")
		var interrupted *message.Interrupted
		if !errors.As(err, &interrupted) {
			t.Errorf("%s: %v; want an interruption", kind, err)
		}
	}
}

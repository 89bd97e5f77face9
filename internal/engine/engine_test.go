package engine

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
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

var plan = &run.Plan{Scenario: &scenario.Scenario{Start: time.Unix(1_700_000_000, 0)}}

// scriptOf returns a limiter: a user's script whose binding passes no arguments.
func scriptOf(t *testing.T, source string) *limiter.Limiter {
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
	return own
}

// tried lets a user's script decide one request on a server of the given kind, and returns the error.
func tried(t *testing.T, ctx context.Context, kind, source string) error {
	t.Helper()
	e, err := Start(ctx, Spec{Redis: kind, Foreign: true, Clock: load.Wall})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, err := e.Open(ctx, plan, scriptOf(t, source))
	if err != nil {
		t.Fatal(err)
	}
	return e.Clean(ctx, s.Decide(context.WithoutCancel(ctx), []limit.Request{{Key: "k", Cost: 1}},
		make([]limit.Decision, 1)))
}

// wantInput checks that the error is a *replay.InputError, in one line that names the script.
func wantInput(t *testing.T, err error) {
	t.Helper()
	var input *replay.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "own.lua: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want one line about own.lua", err)
	}
}

// A process that runs out of its memory fails before the machine runs out of memory: Lua reports it, or the server
// ends. On a busy machine, the time limit may end the script first.
func TestAGreedyScriptOnAProcessIsToBlame(t *testing.T) {
	longtest.Skip(t, "takes gigabytes twice")
	redistest.Private(t) // or skip
	if runtime.GOOS != "linux" {
		t.Skip("processes have no memory limit on this system")
	}
	wantInput(t, tried(t, t.Context(), redis.KindProcess, "local s = 'x' while true do s = s .. s end"))
	wantInput(t, tried(t, t.Context(), redis.KindProcess,
		"local t = {} while true do t[#t + 1] = {1, 2, 3, 4, 5, 6, 7, 8} end"))
}

// An interrupt ends a looping script and its server.
func TestAnInterruptEndsALoop(t *testing.T) {
	redistest.Private(t) // or skip
	for _, kind := range []string{redis.KindProcess, redis.KindEmbedded} {
		ctx, interrupt := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { interrupt(message.ErrInterrupted) })
		if err := tried(t, ctx, kind, "while true do end"); !errors.Is(err, message.ErrInterrupted) {
			t.Errorf("%s: %v; want an interrupt", kind, err)
		}
	}
}

// In a run with users' scripts, one limited server decides all rows.
func TestOneBoundedServerDecidesAllRows(t *testing.T) {
	for _, kind := range []string{redis.KindProcess, redis.KindEmbedded} {
		t.Run(kind, func(t *testing.T) {
			if kind == redis.KindProcess {
				redistest.Private(t) // or skip
			}
			e, err := Start(t.Context(), Spec{Redis: kind, Foreign: true, Clock: load.Wall})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if e.server == nil || !e.server.Bounded {
				t.Errorf("server %+v; want a limited server", e.server)
			}
		})
	}
}

// A user's script that loops never reaches a server without limits.
func TestAScriptIsDecidedOnABoundedServerFirst(t *testing.T) {
	longtest.Skip(t, "waits for a loop for 5 s")
	given := redistest.Private(t)
	e := On(t.Context(), given, load.Wall)
	defer e.Close()
	s, err := e.Open(t.Context(), plan, scriptOf(t, "redis.call('INCR', KEYS[1]) while true do end"))
	if err != nil {
		t.Fatal(err)
	}
	wantInput(t, e.Clean(t.Context(), s.Decide(t.Context(), []limit.Request{{Key: "k", Cost: 1}},
		make([]limit.Decision, 1))))
	if n := given.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are on the given server", n)
	}
}

//go:build unix

package redis

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"ratelab/internal/message"
)

// standIn is a shell script in the place of redis-server. It, and what it starts, hold the pipe alive open.
func standIn(t *testing.T, text string) (path, alive string) {
	t.Helper()
	path, alive = filepath.Join(t.TempDir(), "redis-server"), filepath.Join(t.TempDir(), "alive")
	script := "#!/bin/sh\nexec 3>" + alive + "\n" + text + "\n"
	if err := errors.Join(syscall.Mkfifo(alive, 0o600), os.WriteFile(path, []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	return path, alive
}

// A program that never answers, or stands still, is ended by the first interrupt, and with it what it has started.
func TestAnInterruptEndsAProgramThatDoesNotAnswer(t *testing.T) {
	for name, text := range map[string]string{"sleeps": "exec sleep 600", "waits": "sleep 600; true",
		"stops": "kill -STOP $$; exec sleep 600"} {
		t.Run(name, func(t *testing.T) {
			path, alive := standIn(t, text)
			ctx, interrupt := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				f, err := os.Open(alive) // when the program has opened it too
				interrupt(message.ErrInterrupted)
				if err == nil {
					_, err = io.Copy(io.Discard, f) // until nobody holds it any more
				}
				ended <- err
			}()
			_, err := Start(ctx, "process="+path, withEnv(noEnv))
			if !errors.Is(err, message.ErrInterrupted) || !strings.HasSuffix(err.Error(), "redis-server to start") {
				t.Errorf("%v; want an interruption", err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A program that is killed while it starts says how it ended.
func TestAProgramThatIsKilledWhileItStarts(t *testing.T) {
	path, alive := standIn(t, "kill -KILL $$")
	go os.ReadFile(alive) // the script waits for somebody who reads
	wantText(t, refusal(t, "process="+path), path+" does not start: signal: killed")
}

// A script on a server for a trial runs out of memory, also where it asks for all of it at once, and the server lives.
func TestAServerForATrialIsBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a process is not bounded on this system")
	}
	private(t) // or skip
	s, err := Start(t.Context(), "process", ForTrial(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Client.Eval(t.Context(), "local s = 'x' while true do s = s .. s end", nil).Err()
	if err == nil || !strings.Contains(err.Error(), "not enough memory") {
		t.Errorf("%v; want not enough memory", err)
	}
	do(t, s, "PING")
}

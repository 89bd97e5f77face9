package redis

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ratelab/internal/message"
)

// listener remembers what is said.
type listener struct{ lines []string }

func (l *listener) say(line string) { l.lines = append(l.lines, line) }

// A wait says what for after three seconds, and again whenever it is twice as old.
func TestALongWaitSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l listener
		ctx := message.WithNotice(t.Context(), l.say)
		err := during(ctx, "it to end", func(context.Context) error {
			time.Sleep(13 * time.Second)
			return nil
		})
		want := []string{"waiting for it to end (3 s so far; Ctrl-C ends)",
			"waiting for it to end (6 s so far; Ctrl-C ends)",
			"waiting for it to end (12 s so far; Ctrl-C ends)"}
		if err != nil || !slices.Equal(l.lines, want) {
			t.Errorf("%q, %v; want %q", l.lines, err, want)
		}
	})
}

func TestAnInterruptEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interruptible, interrupt := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { interrupt(message.ErrInterrupted) })
		began := time.Now()
		err := during(interruptible, "it to end", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, message.ErrInterrupted) || err.Error() != "interrupted while waiting for it to end" {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v, want 1s", took)
		}
	})
}

// What ignores its context is not waited for much longer.
func TestAnInterruptEndsAWaitForWhatIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interruptible, interrupt := context.WithCancelCause(t.Context())
		interrupt(message.ErrInterrupted)
		began := time.Now()
		err := during(interruptible, "it to end", func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		})
		if took := time.Since(began); !errors.Is(err, message.ErrInterrupted) || took != lastPatience {
			t.Errorf("%v after %v; want an interrupt after %v", err, took, lastPatience)
		}
		time.Sleep(time.Minute) // until it has ended
	})
}

// What fails by itself after an interrupt is no interruption.
func TestAnErrorAfterAnInterruptStays(t *testing.T) {
	interruptible, interrupt := context.WithCancelCause(t.Context())
	interrupt(message.ErrInterrupted)
	failed := errors.New("failed")
	err := during(interruptible, "it", func(context.Context) error { return failed })
	if err != failed {
		t.Errorf("%v; want %v", err, failed)
	}
}

// A context that ends without an interrupt ends the wait with its own error.
func TestAContextEndsAWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := during(ctx, "it", func(ctx context.Context) error { return ctx.Err() })
	if !errors.Is(err, context.Canceled) || errors.Is(err, message.ErrInterrupted) {
		t.Errorf("%v; want the context's own error", err)
	}
}

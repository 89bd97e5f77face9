package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
)

func TestExitCode(t *testing.T) {
	plain := errors.New("it broke")
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{plain, 3},
		{Usage("no"), 2},
		{fmt.Errorf("a: %w", &replay.InputError{Err: plain}), 2},
		{fmt.Errorf("a: %w", new(redis.BadSpec)), 2},
		{Exit(ExitInconclusive, plain), 4},
		{fmt.Errorf("%w: half of it", message.ErrInterrupted), 130},
		{errors.Join(plain, Exit(ExitMissed, plain)), 1},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: %d; want %d", c.err, got, c.want)
		}
	}
	if !errors.Is(Exit(ExitMissed, plain), plain) {
		t.Error("an error with a code hides what it is")
	}
}

func TestComplainBeginsEachLine(t *testing.T) {
	var out bytes.Buffer
	complain(&out, "bench", errors.New("one\ntwo\n"))
	if got := out.String(); got != "bench: one\nbench: two\n" {
		t.Errorf("%q", got)
	}
}

// What others have put into an error neither steers the terminal nor floods it, nor shows a password.
func TestComplainShowsTextOnly(t *testing.T) {
	var out strings.Builder
	complain(&out, "bench", errors.New("ERR \x1b[31m\r\xff\u202e\nredis://u:secret@h and redis://user:password@host\n"+
		strings.Repeat("x", 1_000_000)))
	want := "bench: ERR \\x1b[31m\\r\\xff\\u202e\nbench: redis://…@h and redis://user:password@host\nbench: " +
		strings.Repeat("x", 2000) + "…\n"
	if out.String() != want {
		t.Errorf("got %.300q", out.String())
	}
}

package message

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrInterrupted is the error of what an interrupt ended. A context that an interrupt ended has it as its cause. It is
// a context.Canceled, too.
var ErrInterrupted error = interrupted{}

type interrupted struct{}

func (interrupted) Error() string { return "interrupted" }

func (interrupted) Is(target error) bool { return target == context.Canceled }

// Interrupted reports whether an interrupt ended ctx.
func Interrupted(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrInterrupted) }

// WaitInterrupted is an ErrInterrupted that says what was waited for, as in "redis://127.0.0.1:7101 to answer".
func WaitInterrupted(what string) error {
	return fmt.Errorf("%w while waiting for %s", ErrInterrupted, what)
}

// noticeKey is under which a context carries a function that tells the user something.
type noticeKey struct{}

// WithNotice returns a context under which long waits are told to say. If say is nil nobody is told.
func WithNotice(ctx context.Context, say func(line string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, say)
}

// Waited tells the user that what has been waited for so long.
func Waited(ctx context.Context, what string, waited time.Duration) {
	if say, _ := ctx.Value(noticeKey{}).(func(string)); say != nil {
		say(fmt.Sprintf("waiting for %s (%d s so far; Ctrl-C ends)", what, int(waited.Seconds())))
	}
}

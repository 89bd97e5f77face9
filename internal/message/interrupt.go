package message

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrInterrupted is the error of operations that an interrupt ended. A context that an interrupt ended has it as its
// cause. It is also a context.Canceled.
var ErrInterrupted error = interrupted{}

type interrupted struct{}

func (interrupted) Error() string { return "interrupted" }

func (interrupted) Is(target error) bool { return target == context.Canceled }

// Interrupted reports whether an interrupt ended ctx.
func Interrupted(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrInterrupted) }

// WaitInterrupted returns an ErrInterrupted that names what was waited for, such as "redis://127.0.0.1:7101 to answer".
func WaitInterrupted(what string) error {
	return fmt.Errorf("%w while waiting for %s", ErrInterrupted, what)
}

// noticeKey is the key of a context's function that shows a line to the user.
type noticeKey struct{}

// WithNotice returns a context that passes messages about long waits to say. If say is nil they are dropped.
func WithNotice(ctx context.Context, say func(line string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, say)
}

// Waited reports to the user how long the program has waited for what.
func Waited(ctx context.Context, what string, waited time.Duration) {
	if say, _ := ctx.Value(noticeKey{}).(func(string)); say != nil {
		say(fmt.Sprintf("waiting for %s (%d s so far; Ctrl-C ends)", what, int(waited.Seconds())))
	}
}

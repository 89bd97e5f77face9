package message

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Watch is who hears of long waits for somebody else, and what ends them. The zero value tells nobody and is never
// interrupted.
type Watch struct {
	Say  func(line string)
	Stop <-chan struct{} // closed by the first interrupt
}

// watchKey is under which a context carries a Watch.
type watchKey struct{}

// WithWatch is ctx with a watch over all that is waited for under it.
func WithWatch(ctx context.Context, w Watch) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// WatchOf is the watch that ctx carries, or one that tells nobody.
func WatchOf(ctx context.Context) Watch {
	w, _ := ctx.Value(watchKey{}).(Watch)
	return w
}

// Waited says that what has been waited for so long.
func (w Watch) Waited(what string, waited time.Duration) {
	if w.Say != nil {
		w.Say(fmt.Sprintf("waiting for %s (%d s so far; Ctrl-C ends)", what, int(waited.Seconds())))
	}
}

// Stopped reports whether there was an interrupt.
func (w Watch) Stopped() bool {
	select {
	case <-w.Stop:
		return true
	default:
		return false
	}
}

// Context is done with ctx, or as soon as there is an interrupt.
func (w Watch) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if w.Stop != nil {
		go func() {
			select {
			case <-w.Stop:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// ErrInterrupted is the error of what an interrupt ended. A context that an interrupt ended has it as its cause.
var ErrInterrupted = errors.New("interrupted")

// Interrupted is what a wait ends with that was cut short by an interrupt. It is a context.Canceled too.
type Interrupted struct {
	What string // what was waited for, as in "redis://127.0.0.1:7101 to answer"
}

func (e *Interrupted) Error() string { return "interrupted while waiting for " + e.What }

// Is makes it an ErrInterrupted, and a context.Canceled, which callers pass on unchanged.
func (e *Interrupted) Is(target error) bool {
	return target == context.Canceled || target == ErrInterrupted
}

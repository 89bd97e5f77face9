// Package waiting is how a program that waits for somebody else says so, and how an interrupt ends the wait. It reads
// no clock: those who wait say how long they have.
package waiting

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Watch is who hears of waits, and what ends them. The zero value tells nobody and is never interrupted.
type Watch struct {
	Say  func(line string)
	Stop <-chan struct{} // closed by the first interrupt
}

// After is a wall clock's: the channel gets a value when d has passed.
type After func(d time.Duration) <-chan time.Time

// watchKey is under which a context carries a Watch.
type watchKey struct{}

// With is ctx with a watch over all that is waited for under it.
func With(ctx context.Context, w Watch) context.Context { return context.WithValue(ctx, watchKey{}, w) }

// Of is the watch that ctx carries, or one that tells nobody.
func Of(ctx context.Context) Watch {
	w, _ := ctx.Value(watchKey{}).(Watch)
	return w
}

// Interrupted is what a wait ends with that was cut short by an interrupt. It is a context.Canceled too.
type Interrupted struct {
	What string // what was waited for, as in "redis://127.0.0.1:7101 to answer"
}

func (e *Interrupted) Error() string { return "interrupted while waiting for " + e.What }

// Is makes it a context.Canceled, which callers pass on unchanged.
func (e *Interrupted) Is(target error) bool { return target == context.Canceled }

// Stopped reports whether there was an interrupt.
func (w Watch) Stopped() bool { return Closed(w.Stop) }

// Closed reports whether stop is closed: who was told to stop ends after what is under way, and keeps what there is.
func Closed(stop <-chan struct{}) bool {
	select {
	case <-stop:
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

// tell says that what has been waited for so long.
func (w Watch) tell(what string, waited time.Duration) {
	if w.Say != nil {
		w.Say(fmt.Sprintf("waiting for %s (%d s so far; Ctrl-C ends)", what, int(waited.Seconds())))
	}
}

// Announce says that what is waited for, and for how long, where it is long.
func (w Watch) Announce(what string, wait time.Duration) {
	if w.Say != nil && wait > soon {
		w.Say(fmt.Sprintf("waiting for %s (%d s; Ctrl-C ends)", what, int(wait.Round(time.Second).Seconds())))
	}
}

// soon is after how long a wait is worth a word. From then on there is one whenever it has doubled.
const soon = 3 * time.Second

// Notes says when there is a word due on a wait. The zero value is that of a wait that begins.
type Notes struct{ next time.Duration }

// Waited tells the watch of what, where a word is due after so long.
func (n *Notes) Waited(w Watch, what string, waited time.Duration) {
	if waited < max(n.next, soon) {
		return
	}
	w.tell(what, waited)
	n.next = 2 * waited
}

// During lets f do what has to be waited for, and says so meanwhile. The context that f gets is done with an interrupt,
// with which the error is an *Interrupted.
func During(ctx context.Context, what string, after After, f func(context.Context) error) error {
	w := Of(ctx)
	inner, cancel := w.Context(ctx)
	defer cancel()
	done, silent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(silent)
		w.accompany(what, after, done)
	}()
	err := f(inner)
	close(done)
	<-silent
	if w.Stopped() && errors.Is(err, context.Canceled) {
		return &Interrupted{what}
	}
	return err
}

// accompany says what is waited for until done is closed.
func (w Watch) accompany(what string, after After, done <-chan struct{}) {
	for waited, before := soon, time.Duration(0); ; waited, before = 2*waited, waited {
		select {
		case <-done:
			return
		case <-after(waited - before):
			w.tell(what, waited)
		}
	}
}

package load

import (
	"context"
	"sync"
	"sync/atomic"
)

// run is what the goroutines of one run have in common: how it ends.
type run struct {
	callers []Caller
	done    chan struct{} // closed when the run is over, for whatever reason
	ended   atomic.Bool
	once    sync.Once
	err     error
	stopped bool
}

func newRun(callers []Caller) *run { return &run{callers: callers, done: make(chan struct{})} }

// over reports whether nothing more is to be sent.
func (r *run) over() bool { return r.ended.Load() }

// end ends the run: with err, which cuts short what callers are doing; without, after the calls under way.
func (r *run) end(err error, stopped bool) {
	r.once.Do(func() {
		r.err, r.stopped = err, stopped
		r.ended.Store(true)
		close(r.done)
		if err != nil {
			interrupt(r.callers)
		}
	})
}

// watch ends the run with the context, or when stop is closed.
func (r *run) watch(ctx context.Context, stop <-chan struct{}) {
	select {
	case <-ctx.Done():
		r.end(ctx.Err(), false)
		return
	case <-stop:
		r.end(nil, true)
	case <-r.done:
	}
}

package load

import (
	"context"
	"sync"
	"sync/atomic"

	"ratelab/internal/caller"
)

// run is what the goroutines of one run have in common: how it ends.
type run struct {
	ctx     context.Context // what calls are given: done when the run is over
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when the run is over, for whatever reason
	ended   atomic.Bool
	once    sync.Once
	err     error
	stopped bool
}

func newRun(ctx context.Context) *run {
	r := &run{done: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

// over reports whether nothing more is to be sent.
func (r *run) over() bool { return r.ended.Load() }

// end ends the run: with err, which cuts short what callers are doing; without, after the calls under way.
func (r *run) end(err error, stopped bool) {
	r.once.Do(func() {
		if err != nil && r.ctx.Err() != nil {
			err = r.ctx.Err() // the calls under way fail because of it, and are no reason themselves
		}
		r.err, r.stopped = err, stopped
		r.ended.Store(true)
		close(r.done)
		if err != nil {
			r.cancel(err)
		}
	})
}

// release lets go of the context after the last call.
func (r *run) release() { r.cancel(caller.ErrFinished) }

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

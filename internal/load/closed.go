package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// ClosedResult is what a closed loop measured, in one stretch or several.
type ClosedResult struct {
	Sent, Accepted int64
	Service        *result.Histogram // written until the reply was read
	Elapsed        time.Duration     // from the start of each stretch until the last of its calls was answered
	Stopped        bool
	Health         Health
}

// PerSecond is the throughput.
func (r *ClosedResult) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Sent) / r.Elapsed.Seconds()
}

// Closed lets callers send for so long as fast as they can, each its next request when the last is answered, and adds
// what it measures to r. What they ask for is theirs to choose. It ends early as an open loop does.
func Closed(ctx context.Context, clock Stopwatch, callers []Caller, length time.Duration, stop <-chan struct{},
	r *ClosedResult) error {
	if r.Service == nil {
		r.Service = result.NewHistogram()
	}
	began := clock.Now()
	last := began
	var found sync.Mutex // of r and last
	e := ending{ctx: ctx, stop: stop}
	stopWatching := watchHealth(clock, began)
	var workers sync.WaitGroup
	for _, c := range callers {
		workers.Go(func() {
			for now := began; now < began+length && !e.over(); {
				out, err := c.Call(limit.Request{})
				if err != nil {
					e.fail(err)
					return
				}
				now = out.Replied
				found.Lock()
				r.Sent++
				if out.Decision.Allowed() {
					r.Accepted++
				}
				r.Health.Overflow += record(r.Service, out.Replied-out.Written)
				last = max(last, out.Replied)
				found.Unlock()
			}
		})
	}
	workers.Wait()
	r.Health.add(stopWatching())
	r.Elapsed += last - began
	r.Stopped = message.Closed(stop)
	return e.error()
}

// ending is how a loop ends early.
type ending struct {
	ctx  context.Context
	stop <-chan struct{} // closed: after the calls under way
	err  atomic.Pointer[error]
}

// over reports whether nothing more is to be sent.
func (e *ending) over() bool { return message.Closed(e.stop) || e.error() != nil }

func (e *ending) fail(err error) { e.err.CompareAndSwap(nil, &err) }

// error is the context's, or else the first of a call: those that fail because of the context are no reason themselves.
func (e *ending) error() error {
	if e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	if err := e.err.Load(); err != nil {
		return *err
	}
	return nil
}

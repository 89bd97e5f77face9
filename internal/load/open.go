package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Values of on_late in a scenario: what happens to a late request. With any other value it is sent as soon as a worker
// is free, and its wait counts. A request is late if no worker was free when it was handed over, and no worker had
// taken it LateAfter after its due time.
const (
	lateDrop  = "drop"  // it is not sent
	lateFatal = "fatal" // it ends the run
)

// Caller asks the limiter once per Call. A Caller belongs to one worker: it is not safe for concurrent use, and two
// Callers share no connection. An error ends the run. If the run's context ends, a Call in progress fails soon.
type Caller interface {
	Call(req limit.Request) (Outcome, error)
}

// source provides the requests of an open loop. Its functions are never called concurrently.
type source struct {
	// due returns the requests that became due since the last call. now and AtUS count from the start of the run. Call
	// due again at next, at the latest. If over is set, no more requests will come, not even after an answer. The
	// requests are valid until the next call.
	due func(now time.Duration) (requests []limit.Request, next time.Duration, over bool, err error)
	// answered reports the outcome of a request. Requests are numbered from 0, in the order in which they were due.
	// Further requests may become due because of the answer. nil: no request depends on answers.
	answered func(number int, o Outcome)
}

// mostAtOnce is the most requests handed over at a time, so that the workers can use the queue in between.
const mostAtOnce = 4096

// listed returns a source of the given requests, which must be sorted by AtUS.
func listed(requests []limit.Request) source {
	return source{due: func(now time.Duration) (due []limit.Request, next time.Duration, over bool, err error) {
		n := 0
		for n < min(len(requests), mostAtOnce) && requests[n].AtUS <= now.Microseconds() {
			n++
		}
		due, requests = requests[:n], requests[n:]
		if len(requests) == 0 {
			return due, now, true, nil
		}
		return due, time.Duration(requests[0].AtUS) * time.Microsecond, false, nil
	}}
}

// open is an open loop: each request is sent when it is due, whether or not earlier requests have been answered. The
// next free caller sends it.
type open struct {
	*Options
	ctx   context.Context
	err   atomic.Pointer[error] // the first error of a call
	queue *queue
	start time.Duration // when a request with AtUS 0 is due

	asking sync.Mutex // guards the following fields
	source source
	calls  []*call
}

// over reports whether the loop must stop sending.
func (l *open) over() bool { return l.ctx.Err() != nil || l.error() != nil }

// stopped reports whether an interrupt ended the loop.
func (l *open) stopped() bool { return errors.Is(context.Cause(l.ctx), message.ErrInterrupted) }

func (l *open) fail(err error) { l.err.CompareAndSwap(nil, &err) }

// error returns the error of the context, or else the first error of a call. Calls fail when the context ends, so the
// error of the context has priority.
func (l *open) error() error {
	if l.ctx.Err() != nil && !l.stopped() {
		return l.ctx.Err()
	}
	if err := l.err.Load(); err != nil {
		return *err
	}
	return nil
}

const (
	// longestNap limits how late the pacer notices the end of the run.
	longestNap = 5 * time.Millisecond
	// spare is the number of additional Go processors (GOMAXPROCS) while an open loop runs. The pacer's thread keeps a
	// processor while it sleeps in the kernel. So does the thread of the heartbeat. A worker that becomes ready on such
	// a processor waits until an idle processor takes it over. If none is idle, it waits for the runtime's monitor, for
	// up to 10 ms. Without spare processors, on two cores, the p99 of the response time was 4 to 8 ms, of which the
	// server took 0.3 ms. With eight, the p99 is 0.4 ms.
	spare = 8
)

// openLoop sends the requests of the source, from start on, by o's clock. about is their approximate number. Requests
// with a negative AtUS are sent before start and do not count. openLoop returns when all requests have been answered.
// After an interrupt it returns the results up to then. An error of a call, of the source or of the context ends the
// loop early.
func openLoop(ctx context.Context, s source, about int, callers []Caller, start time.Duration, o *Options) (
	*OpenResult, error) {
	l := &open{Options: o, ctx: ctx, queue: newQueue(len(callers)), source: s, start: start,
		calls: make([]*call, 0, about)}
	cores := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(cores + spare)
	stopWatching := watchHealth(o.Clock, start)
	var workers sync.WaitGroup
	for _, c := range callers {
		workers.Go(func() { l.work(c) })
	}
	workers.Go(l.pace)
	workers.Wait()
	health := stopWatching()
	runtime.GOMAXPROCS(cores)
	if err := l.error(); err != nil {
		return nil, err
	}
	return l.result(health, cores), nil
}

// pace hands over each request when it is due, on its own thread. Go's timers have a resolution of about a millisecond.
// A thread that sleeps in the kernel is more exact.
func (l *open) pace() {
	runtime.LockOSThread()
	for {
		if l.over() {
			l.queue.end(true)
			return
		}
		next, over := l.handOver()
		if over {
			l.queue.end(false)
			return
		}
		if left := l.start + next - l.Clock.Now(); left > 0 {
			l.Clock.Nap(min(left, longestNap))
		}
	}
}

// handOver gives the due requests to the workers.
func (l *open) handOver() (next time.Duration, over bool) {
	l.asking.Lock()
	defer l.asking.Unlock()
	requests, next, over, err := l.source.due(l.Clock.Now() - l.start)
	if err != nil {
		l.fail(err)
		return 0, false
	}
	if len(requests) == 0 {
		return next, over
	}
	first, handed := len(l.calls), l.Clock.Now()
	for _, q := range requests {
		due := l.start + time.Duration(q.AtUS)*time.Microsecond
		l.calls = append(l.calls, &call{req: q, due: due, handed: handed, number: len(l.calls)})
	}
	l.queue.push(l.calls[first:])
	return next, over
}

// work sends the requests of the queue one by one.
func (l *open) work(caller Caller) {
	for c := l.queue.pop(); c != nil && !l.over(); c = l.queue.pop() {
		if c.queued && !l.inTime(c) {
			continue
		}
		out, err := caller.Call(c.req)
		if err != nil {
			l.fail(err)
			break
		}
		c.Outcome, c.fate = out, answered
		if l.source.answered != nil {
			l.asking.Lock()
			l.source.answered(c.number, out)
			l.asking.Unlock()
			l.handOver()
		}
	}
}

// inTime decides whether a request that had to wait is sent.
func (l *open) inTime(c *call) bool {
	late := l.Clock.Now() - c.due
	switch {
	case late <= l.LateAfter:
		return true
	case l.OnLate == lateDrop:
		c.fate = dropped
		return false
	case l.OnLate == lateFatal:
		l.fail(fmt.Errorf("request at %dµs: none of %d connections was free for it until %v after it was due, and "+
			"on_late: fatal allows %v; use more connections, a lower rate, or on_late: queue or drop", c.req.AtUS,
			l.queue.workers, late.Round(time.Microsecond), l.LateAfter))
		return false
	}
	return true
}

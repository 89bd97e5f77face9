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

// What becomes of a late request, unless it is sent as soon as a worker is free, and its wait counts: values of a
// scenario's on_late. A request is late when no worker was free as it was handed over and none had taken it LateAfter
// after it was due.
const (
	lateDrop  = "drop"  // it is not sent
	lateFatal = "fatal" // it ends the run
)

// Caller asks the limiter once per Call. A Caller belongs to one worker: it is not safe for concurrent use, and two
// Callers share no connection. An error ends the run. A Call under way fails soon when the run's context is done.
type Caller interface {
	Call(req limit.Request) (Outcome, error)
}

// source is where an open loop's requests come from. Its functions are called by one goroutine at a time.
type source struct {
	// due gives what is due by now, since the run's start, and has not been given before. AtUS is when it was due. It
	// is to be asked again at next, at the latest. over: nothing comes any more, not even after an answer. The requests
	// are valid until the next call.
	due func(now time.Duration) (requests []limit.Request, next time.Duration, over bool, err error)
	// answered is told what the request of that number, from 0 in the order of due, met, which may make others due.
	// nil: nothing depends on answers.
	answered func(number int, o Outcome)
}

// mostAtOnce bounds what is handed over at a time, so that workers get at the queue meanwhile.
const mostAtOnce = 4096

// listed are requests in the order of their AtUS.
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

// open is an open loop: each request is sent when it is due, whether or not earlier ones were answered, by the next of
// the callers that is free.
type open struct {
	*Options
	ctx   context.Context
	err   atomic.Pointer[error] // the first of a call
	queue *queue
	start time.Duration // when a request with AtUS 0 is due

	asking sync.Mutex // of what follows
	source source
	calls  []*call
}

// over reports whether nothing more is to be sent.
func (l *open) over() bool { return l.ctx.Err() != nil || l.error() != nil }

// stopped reports whether an interrupt ended the loop.
func (l *open) stopped() bool { return errors.Is(context.Cause(l.ctx), message.ErrInterrupted) }

func (l *open) fail(err error) { l.err.CompareAndSwap(nil, &err) }

// error is the context's, or else the first of a call: calls that fail because of the context are no reason themselves.
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
	// longestNap bounds how late the pacer sees that the run is over.
	longestNap = 5 * time.Millisecond
	// spare is by how many Go's processors are more than the machine's while an open loop runs. The thread of the
	// pacer keeps one while it sleeps in the kernel, and so does the heartbeat's. A worker that was made ready there
	// waits with it, until another processor that is idle takes it over; where none is, until the runtime's monitor
	// looks, up to 10 ms later. On two processors the p99 of a response was 4 to 8 ms so, of which the server took 0.3;
	// with eight spare it is 0.4.
	spare = 8
)

// openLoop sends what the source has to about so many requests, from start on, by o's clock. Requests with a negative
// AtUS are sent before it and do not count. It returns when all are answered, or after an interrupt with what there
// is. An error of a call or of the source, and another end of the context, end it early.
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

// pace hands over each request when it is due, on a thread of its own: Go's scheduler wakes a thread that sleeps in the
// kernel by itself, whereas its own timers fire in whole milliseconds.
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

// handOver gives the workers what is due.
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

// work sends what the queue has, one after the other.
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

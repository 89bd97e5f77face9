package load

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/limit"
)

// What becomes of a late request: the values of a scenario's on_late. A request is late when no worker was free as it
// was handed over and none had taken it LateAfter after it was due.
const (
	LateQueue = "queue" // it is sent as soon as a worker is free, and its wait counts
	LateDrop  = "drop"  // it is not sent
	LateFatal = "fatal" // it ends the run with a *LateError
)

// OpenOptions say how to send a stream.
type OpenOptions struct {
	Clock      Stopwatch
	OnLate     string        // LateQueue (also ""), LateDrop or LateFatal
	LateAfter  time.Duration // how long a request may wait for a worker after it was due before it is late
	IntervalUS int64         // width of the intervals of the time series; 0 is a second
	Stop       <-chan struct{}

	// Answered is told what a call saw, with the request's number in the stream, from 0; nil: nobody asks. The workers
	// call it, several at a time.
	Answered func(number int64, o Outcome)

	// At is when a request with AtUS 0 is due, by Clock; the stream is read and the callers are ready before. Of a
	// time that is past or too near, such as 0, it is as soon as may be. Requests with a negative AtUS warm up: they
	// are sent and not counted.
	At time.Duration

	queueMost int // jobs that may wait; 0 is mostQueued
}

// mostQueued bounds the memory of a backlog to some 60 MB. What would be behind it is dropped, and counted.
const mostQueued = 1 << 20

// Source is where requests come from that depend on the answers to earlier ones. All its methods are called by one
// goroutine at a time.
type Source interface {
	// Due gives what is due by nowUS since the run's start, which does not decrease, and has not been given before. Its
	// AtUS is when it was due. over: nothing comes any more, not even after an answer. The requests are valid until the
	// next call.
	Due(nowUS int64) (requests []limit.Request, over bool, err error)
	// Answered is told what the request of that number, from 0 in the order of Due, met. What that makes due may be
	// given by the next Due.
	Answered(number int64, o Outcome)
}

// OpenResult is what an open loop measured. Of the requests that count, Offered = Sent + Dropped + Unsent.
type OpenResult struct {
	Result
	OnLate  string
	Offered int64 // became due
	Dropped int64 // late, and dropped as asked for
	Spilled int64 // of Dropped: those that found mostQueued before them, whatever OnLate is
	Late    int64
	Unsent  int64 // became due and were left behind by Stop

	// PoolWaits are requests that found no worker free without a burst being the reason: no more requests than there
	// are workers were due at one instant since the last time that none waited. The connections were too few.
	PoolWaits int64

	IntendedPerSecond float64 // from the first request's due time to the last one's; 0 where that is one instant
	AchievedPerSecond float64 // the same of the instants at which they were handed over
	Span              time.Duration
	HandedSpan        time.Duration // from the first handed over to the last

	// When the first request and the last one were due, and when they were handed over, since the start of what
	// counts; 0 where nothing was.
	FirstDue, LastDue, FirstHanded, LastHanded time.Duration
}

// LateError is a late request under LateFatal.
type LateError struct {
	AtUS      int64
	Late      time.Duration
	LateAfter time.Duration
	Workers   int
}

func (e *LateError) Error() string {
	return fmt.Sprintf("request at %dµs: none of %d connections was free for it until %v after it was due, and "+
		"on_late: fatal allows %v; "+
		"use more connections, a lower rate, or on_late: queue or drop", e.AtUS, e.Workers,
		e.Late.Round(time.Microsecond), e.LateAfter)
}

// open is one open loop.
type open struct {
	*run
	o         OpenOptions
	queue     *queue
	collector *collector
	pacing    pacing
	asking    sync.Mutex // of what follows
	source    Source     // nil: a stream
	late      atomic.Int64
	dropped   atomic.Int64
}

// Open sends each request of the stream when it is due, whether or not earlier ones were answered: each through the
// next of the callers that is free. It returns when all are answered, or after Stop with what there is. An error of a
// call or of the stream, and the context's end, end it at once.
func Open(ctx context.Context, stream iter.Seq2[limit.Request, error], callers []Caller, o OpenOptions) (*OpenResult,
	error) {
	if err := o.check(callers); err != nil {
		return nil, err
	}
	l := newOpen(ctx, callers, o)
	feed := newFeeder(l.done)
	var feeding sync.WaitGroup
	feeding.Go(func() {
		if err := feed.run(stream); err != nil {
			l.end(err, false)
		}
	})
	first, _ := feed.next(nil) // the clock starts when there is something to send
	r, err := l.send(ctx, callers, func() { l.pacing.run(feed, first) })
	feeding.Wait()
	return r, err
}

// OpenFrom is Open with requests that depend on the answers.
func OpenFrom(ctx context.Context, source Source, callers []Caller, o OpenOptions) (*OpenResult, error) {
	if err := o.check(callers); err != nil {
		return nil, err
	}
	l := newOpen(ctx, callers, o)
	l.source = source
	return l.send(ctx, callers, func() {
		if err := l.pacing.runLive(l.due); err != nil {
			l.end(err, false)
		}
	})
}

func newOpen(ctx context.Context, callers []Caller, o OpenOptions) *open {
	return &open{run: newRun(ctx), o: o, queue: newQueue(len(callers), o.queueMost),
		collector: newCollector(false, o.IntervalUS)}
}

// send lets the callers send what pace hands over.
func (l *open) send(ctx context.Context, callers []Caller, pace func()) (*OpenResult, error) {
	defer l.release()
	o := l.o
	var ends, others sync.WaitGroup
	others.Go(func() { l.watch(ctx, o.Stop) })
	l.begin()
	watched := watchHealth(o.Clock, l.pacing.start)
	var collected sync.WaitGroup
	collected.Go(l.collector.run)
	for _, c := range callers {
		ends.Go(func() { l.work(c) })
	}
	others.Go(func() { <-l.done; l.queue.abandon() })
	cores := withSpare(func() {
		ends.Go(func() { pace(); l.queue.end() })
		ends.Wait()
	})
	health := watched.stop()
	health.Cores = cores
	l.end(nil, false)
	others.Wait()
	close(l.collector.sheets)
	collected.Wait()
	if l.err != nil {
		return nil, l.err
	}
	return l.result(health), nil
}

// check completes the options and refuses what makes no sense.
func (o *OpenOptions) check(callers []Caller) error {
	if o.OnLate == "" {
		o.OnLate = LateQueue
	}
	if o.queueMost == 0 {
		o.queueMost = mostQueued
	}
	switch {
	case len(callers) == 0:
		return errors.New("no callers; want at least one connection")
	case o.OnLate != LateQueue && o.OnLate != LateDrop && o.OnLate != LateFatal:
		return fmt.Errorf("on_late %q; want one of %s, %s, %s", o.OnLate, LateQueue, LateDrop, LateFatal)
	}
	return nil
}

// lead is how long before its first due time a run starts, so that the threads are there by then.
const lead = 5 * time.Millisecond

// begin fixes the start.
func (l *open) begin() {
	start := max(l.o.At, l.o.Clock.Now()+lead)
	l.pacing = pacing{clock: l.o.Clock, queue: l.queue, over: l.over, start: start}
}

// work sends what the queue has, one after the other.
func (l *open) work(c Caller) {
	rec := l.collector.recorder()
	defer rec.close()
	zero := l.pacing.start
	for {
		j, ok := l.queue.pop()
		if !ok {
			return
		}
		if j.queued && !l.inTime(j) {
			continue
		}
		out, err := c.Call(l.ctx, j.req)
		if err != nil {
			l.end(err, false)
			return
		}
		if l.o.Answered != nil {
			l.o.Answered(j.number, out)
		}
		if l.source != nil {
			l.answered(j.number, out)
		}
		rec.add(sample{
			due: j.due - zero, handed: j.handed - zero, written: out.Written - out.Aside - zero,
			replied:      out.Replied - out.Aside - zero,
			bytesWritten: int32(out.BytesWritten), bytesRead: int32(out.BytesRead),
			allowed: out.Decision.Allowed(),
		})
	}
}

// answered brings an answer to the source, and hands over what is due then.
func (l *open) answered(number int64, out Outcome) {
	l.asking.Lock()
	l.source.Answered(number, out)
	l.asking.Unlock()
	if _, err := l.due(); err != nil {
		l.end(err, false)
	}
}

// due hands over what the source has for now.
func (l *open) due() (over bool, err error) {
	l.asking.Lock()
	defer l.asking.Unlock()
	requests, over, err := l.source.Due((l.o.Clock.Now() - l.pacing.start).Microseconds())
	for _, q := range requests {
		l.pacing.add(q)
	}
	l.pacing.handOver()
	return over, err
}

// inTime decides whether a request that had to wait is sent.
func (l *open) inTime(j job) bool {
	late := l.o.Clock.Now() - j.due
	if late <= l.o.LateAfter {
		return true
	}
	if j.due >= l.pacing.start {
		l.late.Add(1)
	}
	switch l.o.OnLate {
	case LateDrop:
		if j.due >= l.pacing.start {
			l.dropped.Add(1)
		}
		return false
	case LateFatal:
		l.end(&LateError{AtUS: j.req.AtUS, Late: late, LateAfter: l.o.LateAfter, Workers: l.queue.workers}, false)
		return false
	}
	return true
}

// result puts together what the goroutines, all gone now, have counted.
func (l *open) result(health Health) *OpenResult {
	p := &l.pacing
	r := &OpenResult{
		Result: l.collector.result(l.o.Clock, p.start, l.queue.workers), OnLate: l.o.OnLate,
		Offered: p.offered, Late: l.late.Load(), Spilled: l.queue.spilled, PoolWaits: l.queue.poolWaits,
		Dropped:           l.dropped.Load() + l.queue.spilled,
		IntendedPerSecond: rate(p.offered, p.firstDue, p.lastDue), AchievedPerSecond: rate(p.offered, p.firstHanded,
			p.lastHanded),
		Span: p.lastDue - p.firstDue, HandedSpan: p.lastHanded - p.firstHanded,
	}
	if p.offered > 0 {
		r.FirstDue, r.LastDue = p.firstDue-p.start, p.lastDue-p.start
		r.FirstHanded, r.LastHanded = p.firstHanded-p.start, p.lastHanded-p.start
	}
	r.Stopped, r.Health = l.stopped, health
	r.Silence = l.collector.waited.silence(l.o.Clock, p.start, health.stalls)
	r.Unsent = r.Offered - r.Sent - r.Dropped
	return r
}

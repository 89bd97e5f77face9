package load

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"ratelab/internal/limit"
)

// ClosedOptions say how long to saturate a server.
type ClosedOptions struct {
	Clock      Stopwatch
	WarmUp     time.Duration // calls written before are not counted
	Duration   time.Duration // of what counts
	IntervalUS int64         // width of the intervals of the time series; 0 is a second
	Stop       <-chan struct{}
}

// ClosedResult is what a closed loop measured.
type ClosedResult struct {
	Result
	PerSecond float64       // calls from the start of what counts until the last of them was answered
	Elapsed   time.Duration // that time
}

// mostCycled bounds the requests that a closed loop holds in memory. A longer stream is cut.
const mostCycled = 1 << 20

// closed is one closed loop.
type closed struct {
	*run
	o         ClosedOptions
	workers   int
	requests  []limit.Request
	collector *collector
	counted   time.Duration // when what counts begins
	until     time.Duration
}

// Closed sends as fast as the callers can: each sends its next request when the last is answered. Due times do not
// matter; the stream, its first mostCycled requests at the most, is dealt to the callers in turn, and begun again at
// its end. It ends as Open does.
//
// The clock is read twice per call, and no worker writes what another reads.
func Closed(ctx context.Context, stream iter.Seq2[limit.Request, error], callers []Caller,
	o ClosedOptions) (*ClosedResult, error) {
	if len(callers) == 0 {
		return nil, errors.New("no callers; want at least one connection")
	}
	requests, err := take(ctx, stream, mostCycled)
	if err != nil {
		return nil, err
	}
	l := &closed{run: newRun(ctx), o: o, workers: len(callers), requests: requests,
		collector: newCollector(true, o.IntervalUS)}
	defer l.release()
	var collected, watcher, workers sync.WaitGroup
	collected.Go(l.collector.run)
	watcher.Go(func() { l.watch(ctx, o.Stop) })
	l.counted = o.Clock.Now() + o.WarmUp
	l.until = l.counted + o.Duration
	watched := watchHealth(o.Clock, l.counted)
	for i, c := range callers {
		workers.Go(func() { l.work(c, i) })
	}
	workers.Wait()
	health := watched.stop()
	l.end(nil, false)
	watcher.Wait()
	close(l.collector.sheets)
	collected.Wait()
	if l.err != nil {
		return nil, l.err
	}
	return l.result(health), nil
}

// take reads the first requests of a stream.
func take(ctx context.Context, stream iter.Seq2[limit.Request, error], most int) ([]limit.Request, error) {
	var all []limit.Request
	for req, err := range stream {
		if err == nil && len(all)%chunkSize == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, req); len(all) == most {
			break
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no requests to send; want a stream with at least one")
	}
	return all, nil
}

// work sends every request whose turn is the worker's.
func (l *closed) work(c Caller, worker int) {
	rec := l.collector.recorder()
	defer rec.close()
	next := worker % len(l.requests)
	step := l.workers % len(l.requests)
	for now := l.o.Clock.Now(); now < l.until && !l.over(); {
		out, err := c.Call(l.ctx, l.requests[next])
		if err != nil {
			l.end(err, false)
			return
		}
		rec.add(sample{
			written: out.Written - l.counted, replied: out.Replied - l.counted,
			bytesWritten: int32(out.BytesWritten), bytesRead: int32(out.BytesRead), allowed: out.Decision.Allowed(),
		})
		now = out.Replied
		if next += step; next >= len(l.requests) {
			next -= len(l.requests)
		}
	}
}

// result puts together what the goroutines, all gone now, have counted.
func (l *closed) result(health Health) *ClosedResult {
	r := &ClosedResult{Result: l.collector.result(l.o.Clock, l.counted, l.workers)}
	r.Elapsed = r.LastReplied
	if r.Elapsed > 0 {
		r.PerSecond = float64(r.Sent) / r.Elapsed.Seconds()
	}
	r.Stopped, r.Health = l.stopped, health
	r.Silence = l.collector.waited.silence(l.o.Clock, l.counted, health.stalls)
	return r
}

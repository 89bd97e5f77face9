package virtualtime

import (
	"context"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// round is a group of EVALs that are sent together.
type round struct {
	requests []limit.Request
	sizes    []int // number of requests of each EVAL
	commands [][]any
	replies  [][]byte // replies to the EVALs
	timed    bool     // TIME is sent before and after the EVALs
	sent     time.Duration
	took     time.Duration // includes the network
	worked   time.Duration // the time on the server's clock; 0: unknown
	done     chan error
}

// askTime is the command that reads the server's clock.
var askTime = []any{"TIME"}

// evalsPerRound keeps the server busy while the reply to the previous EVAL is in the network.
const evalsPerRound = 2

// write makes the next round and returns the remaining requests. The round is nil if there are no requests.
func (r *Runner) write(requests []limit.Request) (*round, []limit.Request) {
	if len(requests) == 0 {
		return nil, nil
	}
	most := evalsPerRound
	if r.server.Embedded {
		most = 1
	}
	next := &round{timed: !r.server.Embedded, done: make(chan error, 1)}
	if next.timed {
		next.commands = append(next.commands, askTime)
	}
	n := 0
	for len(next.sizes) < most && n < len(requests) {
		size := min(r.size, len(requests)-n)
		next.commands = append(next.commands, r.arguments(requests[n:n+size]))
		next.sizes = append(next.sizes, size)
		n += size
	}
	if next.timed {
		next.commands = append(next.commands, askTime)
	}
	next.requests = requests[:n]
	return next, requests[n:]
}

// arguments returns the arguments of one EVAL. The first EVAL has the source, and later ones have its digest.
func (r *Runner) arguments(requests []limit.Request) []any {
	args := make([]any, 0, 8+len(r.wrapped.decide.fixed)+(1+len(requests))*(1+len(r.wrapped.decide.varying)))
	if r.loaded {
		args = append(args, "EVALSHA", r.wrapped.sha1, "0")
	} else {
		args = append(args, "EVAL", r.wrapped.source, "0")
		r.loaded = true
	}
	args = append(args, strconv.FormatInt(r.offsetMS, 10), r.keep, strconv.FormatInt(r.written, 10))
	args = r.build(args, requests)
	r.written += int64(len(requests))
	return args
}

// send sends the round without waiting. ctx does not cancel the round, because the reply names the keys that have to be
// deleted.
func (r *Runner) send(ctx context.Context, next *round) {
	next.sent = r.elapsed()
	r.pending = append(r.pending, next)
	go func() {
		replies, err := r.server.Client.Send(context.WithoutCancel(ctx), next.commands...)
		next.took = r.elapsed() - next.sent
		if err == nil && next.timed {
			last := len(replies) - 1
			next.worked = clockOf(replies[last]) - clockOf(replies[0])
			replies = replies[1:last]
		}
		next.replies = replies
		next.done <- err
	}()
}

// wait returns the connection's error, or ctx's cause. Errors of the server are in the replies. If ctx ends first, the
// round stays pending.
func (r *Runner) wait(ctx context.Context, last *round) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-last.done:
		r.pending = r.pending[1:]
		return err
	}
}

// drain reads the replies that were not read after an error or a cancellation, because they name keys.
func (r *Runner) drain(ctx context.Context) error {
	for len(r.pending) > 0 {
		last := r.pending[0]
		if err := r.wait(ctx, last); err != nil {
			return err
		}
		_ = r.read(last, make([]limit.Decision, len(last.requests))) // the decisions are discarded
	}
	return nil
}

func (r *Runner) elapsed() time.Duration {
	if r.options.Elapsed == nil {
		return 0
	}
	return r.options.Elapsed()
}

// longest and mostSize control the size of an EVAL. The size follows the time that the last EVAL took on the server's
// own clock. The round trip is not counted, because it may take much longer and does not block the server's other
// clients. The size doubles, or shrinks to what longest allows, and becomes stable within a few rounds.
//
// Note: subtracting the round trip of a PING instead makes each network delay look like a slow script.
const (
	longest  = 50 * time.Millisecond
	mostSize = 4096
)

func (r *Runner) resize(last *round) {
	if r.options.BatchSize > 0 || r.options.Elapsed == nil || last.sizes[0] < r.size {
		return
	}
	took := last.took
	if last.worked > 0 { // otherwise the server's clock stood still, or was set
		took = min(last.worked, took)
	}
	each := took / time.Duration(len(last.sizes))
	switch {
	case each > longest:
		r.size = max(1, int(int64(r.size)*int64(longest)/int64(each)))
	case each < longest*2/5 && r.size < mostSize:
		r.size *= 2
	}
}

// clockOf reads the reply to TIME: seconds and microseconds, both as text. It returns 0 for any other reply.
func clockOf(reply []byte) time.Duration {
	v, err := resp.Read(reply)
	if err != nil || len(v.Items) != 2 {
		return 0
	}
	seconds, err1 := strconv.ParseInt(v.Items[0].Text, 10, 64)
	micros, err2 := strconv.ParseInt(v.Items[1].Text, 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return time.Duration(seconds)*time.Second + time.Duration(micros)*time.Microsecond
}

package virtualtime

import (
	"context"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// round is a few EVALs that travel together.
type round struct {
	requests []limit.Request
	sizes    []int // of the EVALs, in requests
	commands [][]any
	replies  [][]byte // to the EVALs
	timed    bool     // the server's clock is read before the EVALs and after them
	sent     time.Duration
	took     time.Duration // the way there and back included
	worked   time.Duration // by the server's clock; 0: not known
	done     chan error
}

// askTime reads the server's clock.
var askTime = []any{"TIME"}

// evalsPerRound keeps the server busy while the answer to the one before travels.
const evalsPerRound = 2

// write makes the next round of requests, and gives those that are left; nil when there are none.
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

// arguments are those of one EVAL: with its source the first time, by its digest from then on.
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

// send hands the round to the server without waiting. It is not cancelled with ctx: its answer names the keys that
// have to be deleted.
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

// wait gives the connection's error, or ctx's cause; what the server itself objects to is in the
// answers. A round whose wait was cut short stays pending.
func (r *Runner) wait(ctx context.Context, last *round) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-last.done:
		r.pending = r.pending[1:]
		return err
	}
}

// drain reads the answers that an error or a cancellation has left unread, for the keys that they name.
func (r *Runner) drain(ctx context.Context) error {
	for len(r.pending) > 0 {
		last := r.pending[0]
		if err := r.wait(ctx, last); err != nil {
			return err
		}
		_ = r.read(last, make([]limit.Decision, len(last.requests))) // these decisions are nobody's
	}
	return nil
}

func (r *Runner) elapsed() time.Duration {
	if r.options.Elapsed == nil {
		return 0
	}
	return r.options.Elapsed()
}

// An EVAL's length goes by the time that the last one took, by the server's own clock: the way to a far one, on which
// nobody waits but us, may take much longer. It grows by doubles, shrinks to what that time allows, and settles within
// a few rounds.
//
// Note: taking the round trip of a PING off instead lets every hiccup of the network look like a slow script.
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

// clockOf reads the reply to TIME: seconds and microseconds, each a text. It is 0 where the reply is another.
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

package play

import (
	"context"
	"iter"
	"time"

	"ratelab/internal/caller"
	"ratelab/internal/limit"
	"ratelab/internal/load"
)

// Before a stretch begins, each connection asks the server for nothing, once or twice. Threads and servers that have
// slept for long wake up late: the first request would be taken some 150 µs later than those behind it, and a bucket's
// permits come back counted from the first.
const (
	rehearsals     = 64
	rehearsalEvery = 200 * time.Microsecond
	rehearsal      = rehearsals * rehearsalEvery
)

// sendRehearsed lets the requests go, after a rehearsal that counts as warming up.
func (p *player) sendRehearsed(ctx context.Context, out *Played, o load.OpenOptions) (*load.OpenResult, error) {
	out.Answers = make([]Answer, len(p.part.Requests))
	o.Answered = func(n int64, a load.Outcome) {
		if n -= rehearsals; n < 0 {
			return
		}
		out.Answers[n] = p.answer(a)
		if p.Answered != nil && n%answeredEvery == 0 {
			p.Answered(n)
		}
	}
	callers := make([]load.Caller, len(p.callers))
	for i, c := range p.callers {
		callers[i] = rehearser{c}
	}
	return load.Open(ctx, rehearsed(p.stream()), callers, o)
}

// answeredEvery is how many answers pass between two that somebody is told of.
const answeredEvery = 256

// rehearsed is a stream with the rehearsal before it.
func rehearsed(stream iter.Seq2[limit.Request, error]) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for i := range int64(rehearsals) {
			if !yield(limit.Request{AtUS: (i - rehearsals) * rehearsalEvery.Microseconds()}, nil) {
				return
			}
		}
		stream(yield)
	}
}

// rehearser is a connection that takes part in a rehearsal.
type rehearser struct{ *caller.Connection }

// Call asks for a decision, or before the start for nothing.
func (r rehearser) Call(ctx context.Context, q limit.Request) (load.Outcome, error) {
	if q.AtUS < 0 {
		return r.Ping(ctx)
	}
	return r.Connection.Call(ctx, q)
}

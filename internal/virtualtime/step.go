package virtualtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/limit"
)

// The clock of a server may step back. Deadlines are absolute, so keys then live longer by the size of the step. But a
// key whose deadline had already passed does not return: Redis deletes such keys in the background, within a fraction
// of a second. So stepTo deletes the keys that have expired by the last request before the step. It does so before the
// first request after the step.

// apart is for users' scripts that ask for TIME. It gives each request a server time at least a microsecond later than
// the previous one. If the clock steps back, the times start again from there. A real server runs no two scripts at
// once, so log entries that are named after TIME have different names. All requests of a row pass one Runner in their
// order, so all keys share this clock. The clients' clocks do not change. Scripts that do not ask for TIME get
// unchanged times. Their keys live until the exact end of their TTL.
func (r *Runner) apart(requests []limit.Request) []limit.Request {
	if !r.wrapped.moves {
		return requests
	}
	requests = slices.Clone(requests)
	last := r.clockUS
	for i := range requests {
		at := r.serverUS(requests[i])
		if at < r.toldUS { // the clock steps back
			last = at - 1
		}
		r.toldUS, last = at, max(at, last+1)
		requests[i].ServerSkewUS += last - at
	}
	return requests
}

// ascending returns how many requests come before the server's clock steps back.
func (r *Runner) ascending(requests []limit.Request) int {
	n, last := 0, r.serverUS(requests[0])
	for n < len(requests) && r.serverUS(requests[n]) >= last {
		last = r.serverUS(requests[n])
		n++
	}
	return n
}

// stepTo deletes the expired keys if the clock steps back to the next request.
func (r *Runner) stepTo(ctx context.Context, next limit.Request) error {
	at := r.serverUS(next)
	if behind := time.Duration(r.startUS-at) * time.Microsecond; behind > r.options.Behind {
		return fmt.Errorf("request at %dµs: the server's clock is %s before the start; want at most %s", next.AtUS,
			behind, r.options.Behind)
	}
	if at >= r.clockUS {
		return nil
	}
	nowMS := r.clockUS / 1000
	return r.inspect(ctx, r.living.expired(nowMS), nowMS)
}

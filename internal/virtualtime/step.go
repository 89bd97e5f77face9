package virtualtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/limit"
)

// A server's clock may step back, as clocks do. Deadlines are absolute: a key then lives longer by as much. But a key
// whose deadline had passed does not come back, because Redis deletes such keys in the background, a fraction of a
// second later at most. So whatever has expired by the last request before the step is deleted before the first one
// after it.

// apart moves the server's clock on by a microsecond from one request to the next where a user's script asks it for
// TIME, as on a server, where no two scripts run at once: an entry of a log that is named after TIME has a name of its
// own. It is one clock for all keys, because all requests of a row pass one Runner, in their order. The clients' clocks
// stay. A script that does not ask decides as if nothing moved, and its keys live to the last instant that they may.
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

// ascending says how many requests come before the server's clock steps back.
func (r *Runner) ascending(requests []limit.Request) int {
	n, last := 0, r.serverUS(requests[0])
	for n < len(requests) && r.serverUS(requests[n]) >= last {
		last = r.serverUS(requests[n])
		n++
	}
	return n
}

// stepTo deletes what has expired where the clock steps back to the next request.
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

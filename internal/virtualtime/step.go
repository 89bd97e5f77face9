package virtualtime

import (
	"context"
	"fmt"
	"time"

	"ratelab/internal/limit"
)

// A server's clock may step back, as clocks do. Deadlines are absolute: a key then lives longer by as much. But a key
// whose deadline had passed does not come back, because Redis deletes such keys in the background, a fraction of a
// second later at most. So whatever has expired by the last request before the step is deleted before the first one
// after it.

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

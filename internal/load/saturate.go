package load

import (
	"context"
	"math/bits"
	"sync"
	"time"

	"ratelab/internal/limit"
)

// Saturate returns the calls per second of a closed loop with the best number of connections: 1, 2, 4 and so on, up to
// most. It tries each number in the first half of the length. It must try them all, since two connections may be no
// faster than one, and eight many times faster. Then it measures with the best number for the rest of the length.
func Saturate(ctx context.Context, t *Target, requests []limit.Request, most int, length time.Duration) (perS float64,
	err error) {
	keys := make([]string, len(requests))
	for i, q := range requests {
		keys[i] = q.Key
	}
	all := make([]*Connection, most)
	for i := range all {
		if all[i], err = t.Connect(context.WithoutCancel(ctx)); err != nil {
			return 0, err
		}
	}
	if err := t.Introduce(ctx, keys); err != nil {
		return 0, err
	}
	var (
		end   = t.clock.Now() + length
		tries = bits.Len(uint(most))
		best  = 1
	)
	for n := 1; n <= most; n *= 2 {
		found, err := closedLoop(ctx, all[:n], requests, length/time.Duration(2*tries))
		if err != nil {
			return 0, err
		}
		if found > perS {
			perS, best = found, n
		}
	}
	return closedLoop(ctx, all[:best], requests, end-t.clock.Now())
}

// closedLoop lets each connection send its next request as soon as the last one has been answered.
func closedLoop(ctx context.Context, all []*Connection, requests []limit.Request, length time.Duration) (perS float64,
	err error) {
	var (
		wait   sync.WaitGroup
		counts = make([]int, len(all))
		errs   = make([]error, len(all))
		now    = all[0].target.clock.Now
		began  = now()
	)
	for w, c := range all {
		wait.Go(func() {
			for i := w * len(requests) / len(all); now()-began < length && ctx.Err() == nil && errs[w] == nil; i++ {
				_, errs[w] = c.Call(requests[i%len(requests)])
				counts[w]++
			}
		})
	}
	wait.Wait()
	sum := 0
	for w := range all {
		if sum += counts[w]; errs[w] != nil {
			return 0, errs[w]
		}
	}
	return float64(sum) / (now() - began).Seconds(), nil
}

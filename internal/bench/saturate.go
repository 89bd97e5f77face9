package bench

import (
	"context"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/message"
)

// saturation is how long each limiter is asked in a closed loop, and saturatedKeys how many keys that asks for.
const (
	saturation    = 2 * time.Second
	saturatedKeys = 10_000
)

// saturate measures how many decisions a second each limiter of a play reaches. The keys take turns, with the costs of
// the part: one key alone would be refused nearly always, which costs less than to admit.
func (r *measuring) saturate(ctx context.Context, p *play) error {
	requests := make([]limit.Request, saturatedKeys)
	for i := range requests {
		requests[i] = limit.Request{Key: fmt.Sprintf("key:%06d", i), Cost: 1}
		if n := len(p.part.Requests); n > 0 {
			requests[i].Cost = p.part.Requests[i%n].Cost
		}
	}
	for i, l := range p.Limiters {
		where := l.Label + " in a closed loop of " + p.Scenario.Name
		for repeats := 0; ; repeats++ {
			r.step(where)
			perS, err := r.saturateOne(ctx, l, requests)
			if err != nil {
				return err
			}
			p.rows[i].MaxPerS = &perS
			why := r.silence(where)
			if len(why) == 0 || repeats == r.RepeatInvalid {
				r.reasons = append(r.reasons, why...)
				break
			}
			r.repeated++
		}
	}
	return nil
}

// saturateOne measures one limiter. The error is message.ErrInterrupted after an interrupt.
func (r *measuring) saturateOne(ctx context.Context, l *limiter.Limiter, requests []limit.Request) (float64, error) {
	g, err := r.segment(ctx, l)
	if err != nil {
		return 0, err
	}
	perS, err := load.Saturate(r.ctx, g.target, requests, r.Connections, saturation)
	if r.stopped() {
		err = message.ErrInterrupted
	}
	return perS, g.end(ctx, err)
}

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

// saturation is the duration of each closed loop, and saturatedKeys the number of its keys.
const (
	saturation    = 2 * time.Second
	saturatedKeys = 10_000
)

// saturate measures how many decisions per second each limiter of a play reaches. The keys take turns, with the costs
// of the part. A single key would be rejected nearly always, and rejections are cheaper.
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

// saturateOne measures one limiter. After an interrupt, the error is message.ErrInterrupted.
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

package bench

import (
	"context"
	"fmt"
	"time"

	"ratelab/internal/limit"
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
		r.step(l.Label + " in a closed loop")
		g, err := r.segment(ctx, l)
		if err != nil {
			return err
		}
		perS, err := load.Saturate(r.ctx, g.target, requests, r.Connections, saturation)
		if r.stopped() {
			err = message.ErrInterrupted
		}
		if err := g.end(ctx, err); err != nil {
			return err
		}
		p.rows[i].MaxPerS = &perS
	}
	r.vigil.Silence() // a closed loop keeps the server busy
	return nil
}

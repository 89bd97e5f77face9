package bench

import (
	"context"
	"errors"
	"fmt"

	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// measuring is a job under way.
type measuring struct {
	*plan
	*session
	done int // rounds that are finished

	costs    []*result.Cost // by limiter
	perCall  []*result.Work // by limiter; nil for what was not counted
	reasons  []result.Reason
	repeated int
	blamed   []result.Reason // for what was measured again
	partial  bool
}

// run does the job.
func (p *plan) run(ctx context.Context) (*result.Document, error) {
	s, err := begin(ctx, p.Server, p.mostConnections(), &p.runs[0].Plan, replay.Clock{Now: p.Now, Sleep: p.Sleep},
		p.Stop)
	if err != nil {
		return nil, err
	}
	s.places = place(ctx, s.server)
	return p.on(ctx, s)
}

// on does the job on a server, and ends that if it is ours.
func (p *plan) on(ctx context.Context, s *session) (*result.Document, error) {
	r := &measuring{plan: p, session: s}
	for _, c := range p.costs {
		r.costs = append(r.costs, newCost(c))
	}
	r.perCall = make([]*result.Work, len(r.costs))
	back := quietly()
	err := s.watch(ctx)
	if err == nil {
		err = r.measure(ctx)
	}
	back()
	var document *result.Document
	if err == nil {
		document = r.document(ctx)
	}
	if err = s.close(ctx, err); err != nil {
		return nil, err
	}
	p.Kept = s.kept
	return document, nil
}

// mostConnections is how many connections the job has open at a time.
func (p *plan) mostConnections() int {
	most := max(p.Connections, len(p.costs)+1)
	for _, n := range p.Sweep {
		most = max(most, n)
	}
	return most
}

// measure does everything, or as much as there is time for until the job is told to stop.
func (r *measuring) measure(ctx context.Context) error {
	for _, part := range []func(context.Context) error{r.decideAll, r.rehearseLoops, r.takeAll, r.fillAll,
		r.rounds, r.sweep} {
		err := part(ctx)
		if errors.Is(err, message.ErrStopped) {
			r.partial = true
			r.note("interrupted: what was under way is left out")
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step tells what begins. The rounds of each scenario count, and those of the closed loop.
func (r *measuring) step(where string) {
	if r.Progress != nil {
		r.Progress(where, r.done, r.Rounds*(len(r.runs)+1))
	}
}

// decideAll counts what every limiter decides on every scenario in virtual time.
func (r *measuring) decideAll(ctx context.Context) error {
	for _, p := range r.runs {
		where := p.Scenario.Name + " in virtual time"
		r.step(where)
		if err := r.decideScenario(ctx, p); err != nil {
			return err
		}
		r.reasons = append(r.reasons, r.silences(where, mostInBatches)...)
	}
	return nil
}

// takeAll counts what a call of every limiter takes. What is measured next is measured on a new server.
func (r *measuring) takeAll(ctx context.Context) error {
	for i, c := range r.plan.costs {
		where := c.Label + " bytes and allocations"
		r.step(where)
		var err error
		if r.perCall[i], err = r.countCall(ctx, c); err != nil {
			return err
		}
		r.reasons = append(r.reasons, r.silences(where, load.MostSilence)...)
	}
	return r.renew(ctx, r.mostConnections())
}

// fillAll measures the memory of keys, where the server tells.
func (r *measuring) fillAll(ctx context.Context) error {
	if !r.server.Own {
		return nil
	}
	for i, c := range r.fills {
		where := c.Label + " memory"
		r.step(where)
		for _, n := range r.Fills {
			if r.stopped() {
				return message.ErrStopped
			}
			fill, err := r.fill(ctx, c, n)
			if err != nil {
				return err
			}
			r.costs[i].Memory = append(r.costs[i].Memory, fill)
		}
		r.reasons = append(r.reasons, r.silences(where, mostInBatches)...)
	}
	return nil
}

// sweep measures every limiter at rising numbers of connections.
func (r *measuring) sweep(ctx context.Context) error {
	for i, c := range r.plan.costs {
		for _, n := range r.Sweep {
			where := fmt.Sprintf("sweep %s at %d connections", c.Label, n)
			var found *closedRound
			reasons, err := r.again(where, func() (reasons []result.Reason, err error) {
				found, err = r.saturate(ctx, c, saturation{result.MixHalf, n, r.WarmUp, r.Segment})
				if err != nil {
					return nil, err
				}
				return append(r.blame(where, found.Reasons(), &found.account, found.Sent),
					r.silences(where, load.MostSilence)...), nil
			})
			if err != nil {
				return err
			}
			r.reasons = append(r.reasons, reasons...)
			r.costs[i].Sweep = append(r.costs[i].Sweep, result.Level{Connections: n,
				ThroughputPerS: found.PerSecond(), ServerUSPerCall: found.serverUS(), Service: found.Service})
		}
	}
	return nil
}

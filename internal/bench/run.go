package bench

import (
	"context"
	"errors"
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/replay"
)

// run is a job under way.
type run struct {
	*plan
	*session
	progress *progress

	virtual  [][]virtualResult // by scenario and entry; nil for what was not decided
	rows     [][]*row          // by scenario and entry
	costs    []*cost           // by entry
	reasons  []benchresult.Reason
	repeated int
	blamed   []benchresult.Reason // for what was measured again
	partial  bool
}

// run does the job.
func (p *plan) run(ctx context.Context) (*benchresult.Document, error) {
	if err := p.try(ctx); err != nil {
		return nil, err
	}
	server, note, err := startServer(ctx, p.Server, p.mostConnections(), p.AllowEviction, p.Notice)
	if err != nil {
		return nil, err
	}
	s := &session{now: p.Now, sleep: p.Sleep, stop: p.Stop, began: p.Now(),
		lasts: p.longest() + lineup.LongestAlignment}
	s = newSession(server, p.Server, note, s)
	s.places = place(ctx, server)
	return p.on(ctx, s)
}

// on does the job on a server, and ends that if it is ours.
func (p *plan) on(ctx context.Context, s *session) (*benchresult.Document, error) {
	r := &run{plan: p, session: s, progress: newProgress(p.Progress, p.estimate())}
	r.prepare()
	back := quietly()
	err := s.watch(ctx)
	if err == nil {
		err = r.measure(ctx)
	}
	back()
	var document *benchresult.Document
	if err == nil {
		document = r.document(ctx)
	}
	if err = s.close(ctx, err); err != nil {
		return nil, err
	}
	return document, nil
}

// try lets the users' scripts decide the first requests on a private server.
func (p *plan) try(ctx context.Context) error {
	first := p.runs[0]
	var own []*lineup.Entry
	for _, c := range first.Entries {
		if c.File != "" {
			own = append(own, c)
		}
	}
	if len(own) == 0 {
		return nil
	}
	requests, err := lineup.FirstRequests(first.stream)
	if err != nil {
		return err
	}
	return lineup.Try(ctx, own, p.Server, first.Scenario.Start, requests, replay.Clock{Now: p.Now, Sleep: p.Sleep})
}

// mostConnections is how many connections the job has open at a time.
func (p *plan) mostConnections() int {
	most := max(p.Connections, len(p.costs)+1)
	for _, n := range p.Sweep {
		most = max(most, n)
	}
	return most
}

// prepare makes room for what will be found.
func (r *run) prepare() {
	for _, p := range r.runs {
		var rows []*row
		for range p.Entries {
			rows = append(rows, newRow())
		}
		r.rows = append(r.rows, rows)
	}
	r.virtual = make([][]virtualResult, len(r.runs))
	for range r.plan.costs {
		r.costs = append(r.costs, newCost())
	}
}

// measure does everything, or as much as there is time for until the job is told to stop.
func (r *run) measure(ctx context.Context) error {
	for _, part := range []func(context.Context) error{r.decideAll, r.takeAll, r.fillAll, r.rounds, r.sweep} {
		err := part(ctx)
		if errors.Is(err, errStopped) {
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

// decideAll counts what every entry decides on every scenario in virtual time.
func (r *run) decideAll(ctx context.Context) error {
	for i, p := range r.runs {
		where := p.Scenario.Name + " in virtual time"
		r.progress.step(where, exactTime)
		var err error
		if r.virtual[i], err = r.decide(ctx, p); err != nil {
			return err
		}
		r.reasons = append(r.reasons, r.silences(where, mostInBatches)...)
	}
	return nil
}

// takeAll counts what a call of every entry takes. What is measured next is measured on a new server.
func (r *run) takeAll(ctx context.Context) error {
	for i, c := range r.plan.costs {
		where := c.Label + " bytes and allocations"
		r.progress.step(where, takeTime)
		var err error
		if r.costs[i].perCall, err = r.countCall(ctx, c); err != nil {
			return err
		}
		r.reasons = append(r.reasons, r.silences(where, load.MostSilence)...)
	}
	return r.renew(ctx, r.mostConnections(), r.AllowEviction)
}

// fillAll measures the memory of keys, where the server tells.
func (r *run) fillAll(ctx context.Context) error {
	if !r.server.Own {
		return nil
	}
	for i, c := range r.fills {
		where := c.Label + " memory"
		r.progress.step(where, fillTime)
		for _, n := range r.Fills {
			if r.stopped() {
				return errStopped
			}
			fill, err := r.fill(ctx, c, n)
			if err != nil {
				return err
			}
			r.costs[i].memory = append(r.costs[i].memory, fill)
		}
		r.reasons = append(r.reasons, r.silences(where, mostInBatches)...)
	}
	return nil
}

// sweep measures every entry at rising numbers of connections.
func (r *run) sweep(ctx context.Context) error {
	for i, c := range r.plan.costs {
		for _, n := range r.Sweep {
			where := fmt.Sprintf("sweep %s at %d connections", c.Label, n)
			var found *closedRound
			err := r.again(where, r.closedTime(), func() (reasons []benchresult.Reason, err error) {
				found, err = r.saturate(ctx, c, saturation{benchresult.MixHalf, n, r.WarmUp, r.Segment})
				if err != nil {
					return nil, err
				}
				return r.heard(where, r.blame(where, found.Reasons(), &found.account, found.Sent)), nil
			}, &r.reasons)
			if err != nil {
				return err
			}
			r.costs[i].level(n, found)
		}
	}
	return nil
}

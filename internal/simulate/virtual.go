package simulate

import (
	"context"

	"ratelab/internal/candidate"
	"ratelab/internal/replay"
)

// runVirtual replays a scenario under the virtual clock.
func (j *Job) runVirtual(ctx context.Context, p *planned, b *backend) ([]*lane, *replay.Outcome, error) {
	if p.scenario.Reactive() {
		return j.runWorld(ctx, p, b)
	}
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	outcome, err := j.record(ctx, p, lanes, p.findings(replay.Options{Parallel: b.parallel()}))
	return lanes, outcome, err
}

func (b *backend) virtualLanes(ctx context.Context, p *planned) ([]*lane, error) {
	var lanes []*lane
	for i, c := range p.candidates {
		l := &lane{candidate: c}
		lanes = append(lanes, l)
		if len(b.servers) == 0 {
			l.decider = replay.NewModel(c.NewModel(), p.scenario.Start)
			continue
		}
		l.server, l.watch = b.server(i), b.watch(i)
		var err error
		times := candidate.Times{Start: p.scenario.Start, Company: &b.company}
		if l.runner, err = candidate.Runner(ctx, l.server, c.Program, times, 0, b.job.clock()); err != nil {
			return nil, err
		}
		l.decider = explained{l.runner, l.watch}
	}
	return lanes, nil
}

package simulate

import (
	"context"

	"ratelab/internal/lineup"
	"ratelab/internal/replay"
)

// runVirtual replays a scenario under the virtual clock.
func (j *Job) runVirtual(ctx context.Context, p *planned, b *backend) ([]*lane, *replay.Outcome, error) {
	if p.Scenario.Reactive() {
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
	for i, c := range p.Entries {
		l := &lane{entry: c}
		lanes = append(lanes, l)
		if len(b.servers) == 0 {
			l.decider = replay.NewModel(c.NewModel(), p.Scenario.Start)
			continue
		}
		l.server, l.watch = b.server(i), b.watch(i)
		var err error
		times := lineup.Times{Start: p.Scenario.Start, Company: &b.company}
		if l.script, err = c.On(ctx, l.server, l.watch, times, b.job.clock()); err != nil {
			return nil, err
		}
		l.decider = l.script
	}
	return lanes, nil
}

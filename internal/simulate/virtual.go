package simulate

import (
	"context"

	"ratelab/internal/lineup"
	"ratelab/internal/replay"
)

// runVirtual replays a scenario under the virtual clock.
func (j *Job) runVirtual(ctx context.Context, p *contest, b *backend) ([]*lane, *replay.Outcome, error) {
	if p.Scenario.Reactive() {
		return j.runReacting(ctx, p, b)
	}
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	var all replay.Traffic = p.stream
	if j.Only != nil {
		all = j.Only.Of(all)
	}
	o := replay.Options{Parallel: b.parallel(), Sources: b.parallel(), Stop: j.Stop}
	outcome, err := j.record(ctx, p, all, lanes, p.findings(o))
	return lanes, outcome, err
}

func (b *backend) virtualLanes(ctx context.Context, p *contest) ([]*lane, error) {
	var lanes []*lane
	for i, e := range p.Entries {
		if len(b.servers) == 0 {
			another := func() replay.Decider {
				return replay.Unreachable(replay.NewModel(e.NewModel(), p.Scenario.Start), p.Scenario.Outages)
			}
			l := &lane{entry: e, means: model{}, decider: another()}
			if e.Gateways == nil { // which take turns over the requests of all keys
				l.another = another
			}
			lanes = append(lanes, l)
			continue
		}
		v, err := e.On(ctx, b.watch(i), lineup.Times{Start: p.Scenario.Start, Company: &b.company}, b.job.clock())
		if err != nil {
			return nil, err
		}
		v.OthersToo = b.job.Only != nil
		var decider replay.Decider = v
		if e.NewModel != nil {
			decider = &confirming{Decider: v, model: replay.NewModel(e.NewModel(), p.Scenario.Start)}
		}
		lanes = append(lanes, &lane{entry: e, means: &scripted{Virtual: v},
			decider: replay.Unreachable(decider, p.Scenario.Outages)})
	}
	return lanes, nil
}

package simulate

import (
	"context"
	"errors"
	"fmt"

	"ratelab/internal/lineup"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// Part is what one shard of a job finds: a document of its own, of which Merge makes that of the whole job. It holds no
// figure that is a ratio: those are made of all parts together.
type Part struct {
	SchemaVersion int          `json:"schema_version"`
	Kind          string       `json:"kind"`
	Tool          result.Tool  `json:"tool"`
	Shard         replay.Shard `json:"shard"`
	Command       string       `json:"command"` // that asks for all shards at once
	Runs          []PartRun    `json:"runs"`
}

// PartRun is one scenario.
type PartRun struct {
	Head
	Found *replay.Part `json:"found"`
	// Assumed is what the other rules for times that are whole seconds come to; absent where nobody wants to know.
	Assumed []Assumption `json:"assumed,omitempty"`
}

// ErrStopped is what a shard ends with that was stopped early: nothing could be added to it.
var ErrStopped = errors.New("stopped before its end")

// RunPart does the job of one shard, on the models. Its error is an *InputError also where the keys of a scenario or of
// a row do not stand alone.
func (j *Job) RunPart(ctx context.Context, shard replay.Shard) (*Part, error) {
	plan, err := j.plan()
	if err != nil {
		return nil, err
	}
	if err := plan.canShard(j); err != nil {
		return nil, err
	}
	b := &backend{job: j}
	part := &Part{SchemaVersion: result.Shard.Version, Kind: result.Shard.Kind,
		Tool: result.Tool{Name: "simulate", Version: j.Version}, Shard: shard}
	for i, p := range plan.runs {
		if j.Progress != nil {
			total, _ := p.stream.Count()
			j.Progress.Scenario(p.Scenario.Name, i+1, len(plan.runs), total)
		}
		run, err := j.runPart(ctx, p, b, shard)
		if err != nil {
			return nil, lineup.Blamed(err)
		}
		part.Runs = append(part.Runs, *run)
	}
	return part, nil
}

// runPart replays the shard's keys of one scenario.
func (j *Job) runPart(ctx context.Context, p *contest, b *backend, shard replay.Shard) (*PartRun, error) {
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, err
	}
	o := p.findings(replay.Options{Shard: shard, Sources: b.parallel(), Stop: j.Stop})
	if j.Progress != nil {
		o.Progress = j.Progress.Requests
	}
	found, err := replay.RunPart(ctx, p.stream, p.Policy, replayed(lanes), o)
	if err != nil {
		return nil, err
	}
	if found.Partial() {
		return nil, fmt.Errorf("%s: %w", p.Scenario.Name, ErrStopped)
	}
	run := &PartRun{Head: *p.head(lanes, found.All.LargestCost), Found: found}
	if j.Assumed != nil && p.stream.Spread() > 0 {
		run.Assumed, err = j.Assumed(ctx, p.Scenario)
	}
	return run, err
}

// canShard refuses what cannot be put together again from its shards.
func (p *plan) canShard(j *Job) error {
	var wrong lineup.Problems
	switch {
	case j.Server != ModelServer:
		wrong.Bad(errors.New("--shard: only the models decide shard by shard, since what a server spends and keeps " +
			"does not add up; say --redis model"))
	case j.Clock == RealClock:
		wrong.Bad(errors.New("--shard: goes with --clock virtual"))
	}
	for _, run := range p.runs {
		if run.Scenario.Reactive() {
			wrong.Bad(fmt.Errorf("--shard: %s: its clients react, or its clocks are off, so that it is not played key "+
				"by key; leave it out, or play it whole", run.Scenario.Name))
		}
		for _, e := range run.Entries {
			if e.Gateways != nil {
				wrong.Bad(fmt.Errorf("--shard: %s: its nodes take turns over the requests of all keys; leave it out, "+
					"or play it whole", e.Label))
			}
		}
	}
	return wrong.Err()
}

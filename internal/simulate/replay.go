package simulate

import (
	"context"

	"ratelab/internal/replay"
)

// replay sends a scenario's traffic past the lanes, looks at what they leave on their servers, and deletes it.
func (j *Job) replay(ctx context.Context, p *contest, t replay.Traffic, lanes []*lane, o replay.Options) (
	*replay.Outcome, error) {
	all := replayed(lanes)
	if j.paced() {
		for i := range all {
			all[i].Counts = false
		}
	}
	outcome, err := replay.Run(ctx, t, p.Policy, all, o)
	if err == nil {
		err = survey(ctx, lanes, outcome.LastUS)
	}
	return outcome, cleanUp(ctx, lanes, err)
}

// replayed are the lanes as a replay takes them.
func replayed(lanes []*lane) []replay.Lane {
	var all []replay.Lane
	for _, l := range lanes {
		r := replay.Lane{Label: l.entry.Label, Decider: l.decider, Counts: l.entry.Counts, Another: l.another}
		if len(l.observers) > 0 {
			r.Observe, r.Another = l.observe, nil
		}
		all = append(all, r)
	}
	return all
}

// record is replay with progress and a row for each decision, where those are wanted.
func (j *Job) record(ctx context.Context, p *contest, t replay.Traffic, lanes []*lane, o replay.Options) (
	*replay.Outcome, error) {
	if err := j.Decisions.begin(p.Scenario.Name, lanes); err != nil {
		return nil, err
	}
	if j.Progress != nil {
		o.Progress = j.Progress.Requests
	}
	outcome, err := j.replay(ctx, p, t, lanes, o)
	if err != nil {
		return nil, err
	}
	return outcome, j.Decisions.end()
}

// survey looks at what the lanes leave at the time of the last request.
func survey(ctx context.Context, lanes []*lane, lastUS int64) error {
	for _, l := range lanes {
		if err := l.means.survey(ctx, lastUS); err != nil {
			return err
		}
	}
	return nil
}

// cleanUp deletes the lanes' keys. After a failure, which it returns, it is tried all the same.
func cleanUp(ctx context.Context, lanes []*lane, failed error) error {
	for _, l := range lanes {
		if err := l.means.close(context.WithoutCancel(ctx)); failed == nil {
			failed = err
		}
	}
	return failed
}

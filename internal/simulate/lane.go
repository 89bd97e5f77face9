package simulate

import (
	"context"
	"errors"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// lane is one entry on its way through one scenario, under either clock.
type lane struct {
	entry     *lineup.Entry
	server    *redisserver.Server // nil for a model
	watch     *lineup.Watch       // over the server
	decider   replay.Decider
	observers []observer

	// In virtual time on a server.
	script *lineup.Virtual
	left   *virtualtime.Left // after the replay

	// In virtual time, where clients react.
	world *inWorld

	// On the real clock.
	paced   *replay.WallClock
	differs int64 // decisions that are not those of virtual time
}

// observer sees every batch of a lane once it is decided.
type observer func([]limit.Request, []limit.Decision) error

func (l *lane) observe(requests []limit.Request, decisions []limit.Decision) error {
	for _, o := range l.observers {
		if err := o(requests, decisions); err != nil {
			return err
		}
	}
	return nil
}

// replay sends a scenario past the lanes, looks at what they leave on their servers, and deletes it.
func (j *Job) replay(ctx context.Context, p *planned, lanes []*lane, o replay.Options) (*replay.Outcome, error) {
	var all []replay.Lane
	for _, l := range lanes {
		all = append(all, replay.Lane{Label: l.entry.Label, Decider: l.decider, Observe: l.observe,
			Counts: l.entry.Counts && l.paced == nil})
	}
	o.Stop = j.Stop
	outcome, err := replay.Run(ctx, p.stream, p.Policy, all, o)
	if err == nil {
		err = survey(ctx, lanes, outcome.LastUS)
	}
	return outcome, cleanUp(ctx, lanes, err)
}

// record is replay with progress and a row for each decision, where those are wanted.
func (j *Job) record(ctx context.Context, p *planned, lanes []*lane, o replay.Options) (*replay.Outcome, error) {
	if err := j.Decisions.begin(p.Scenario.Name, lanes); err != nil {
		return nil, err
	}
	if j.Progress != nil {
		o.Progress = j.Progress.Requests
	}
	outcome, err := j.replay(ctx, p, lanes, o)
	if err != nil {
		return nil, err
	}
	return outcome, j.Decisions.end()
}

// survey counts what the scripts left on the servers at the time of the last request, and fails where it is not all that
// ought to be there.
func survey(ctx context.Context, lanes []*lane, lastUS int64) error {
	for _, l := range lanes {
		if l.paced != nil {
			if err := l.checkPaced(ctx); err != nil {
				return &replay.LaneError{Label: l.entry.Label, Err: err}
			}
		}
		if l.script == nil {
			continue
		}
		left, err := l.script.Left(ctx, lastUS)
		if err != nil {
			return err
		}
		l.left = &left
	}
	return nil
}

// checkPaced looks whether the keys of a run on the wall clock were deleted.
func (l *lane) checkPaced(ctx context.Context) error {
	err := l.paced.Check(ctx)
	if errors.Is(err, replay.ErrGone) {
		return l.watch.Gone(ctx)
	}
	return l.watch.Explain(ctx, err)
}

// cleanUp deletes the lanes' keys. After a failure, which it returns, it is tried all the same. Where it fails itself, the
// server's next run has to do it.
func cleanUp(ctx context.Context, lanes []*lane, failed error) error {
	for _, l := range lanes {
		err := l.close(context.WithoutCancel(ctx))
		if err != nil {
			l.server.LeftKeys()
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

func (l *lane) close(ctx context.Context) error {
	switch {
	case l.script != nil:
		return l.script.Close(ctx)
	case l.paced != nil:
		if err := l.paced.Close(ctx); err != nil {
			return &replay.LaneError{Label: l.entry.Label, Err: l.watch.Explain(ctx, err)}
		}
	}
	return nil
}

// row is the lane's line in the document.
func (l *lane) row(o replay.LaneOutcome) report.Row {
	row := report.Row{Algorithm: l.entry.Label, Parameters: l.entry.Parameters, Figures: measure.Figures{Result: o.Result}}
	if program := l.entry.Program; program != nil {
		row.ScriptSHA1 = script.SHA1(program.Source)
	}
	if l.paced != nil {
		row.DiffersFromVirtual = &l.differs
	}
	if l.left == nil {
		return row
	}
	spent := lineup.Spent{Offered: o.Result.Offered, Calls: l.script.Calls(), Left: *l.left}
	row.KeysLeft, row.KeysWithoutTTL = &l.left.Keys, &l.left.WithoutTTL
	row.RedisCallsPerDecision, row.RoundTripsPerDecision, row.BytesPerKey = spent.CallsPerDecision(), spent.TripsPerDecision(), spent.BytesPerKey()
	return row
}

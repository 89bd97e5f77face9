package simulate

import (
	"context"
	"errors"

	"ratelab/internal/candidate"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// lane is one candidate on its way through one scenario, under either clock.
type lane struct {
	candidate *candidate.Candidate
	server    *redisserver.Server // nil for a model
	watch     *candidate.Watch    // over the server
	decider   replay.Decider
	observers []observer

	// In virtual time on a server.
	runner *virtualtime.Runner
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
		all = append(all, replay.Lane{Label: l.candidate.Label, Decider: l.decider, Observe: l.observe,
			Counts: l.candidate.Counts && l.paced == nil})
	}
	o.Stop = j.Stop
	outcome, err := replay.Run(ctx, p.stream, p.policy, all, o)
	if err == nil {
		err = survey(ctx, lanes, outcome.LastUS)
	}
	return outcome, cleanUp(ctx, lanes, err)
}

// record is replay with progress and a row for each decision, where those are wanted.
func (j *Job) record(ctx context.Context, p *planned, lanes []*lane, o replay.Options) (*replay.Outcome, error) {
	if err := j.Decisions.begin(p.scenario.Name, lanes); err != nil {
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

// explained puts the errors of a server's connection into our words.
type explained struct {
	replay.Decider
	watch *candidate.Watch
}

func (e explained) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	err := e.Decider.Decide(ctx, requests, decisions)
	if err == nil || errors.Is(err, replay.ErrStopped) {
		return err
	}
	return e.watch.Explain(ctx, err)
}

// survey counts what the scripts left on the servers at the time of the last request, and fails where it is not all that
// ought to be there.
func survey(ctx context.Context, lanes []*lane, lastUS int64) error {
	for _, l := range lanes {
		if l.paced != nil {
			if err := l.checkPaced(ctx); err != nil {
				return &replay.LaneError{Label: l.candidate.Label, Err: err}
			}
		}
		if l.runner == nil {
			continue
		}
		memory := l.server.Own && l.server.Kind != redisserver.KindEmbedded // miniredis invents its answer
		left, err := l.runner.Left(ctx, lastUS, memory)
		if err != nil {
			return &replay.LaneError{Label: l.candidate.Label, Err: l.watch.Explain(ctx, err)}
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
			failed = &replay.LaneError{Label: l.candidate.Label, Err: redisserver.Explain(err, l.server)}
		}
	}
	return failed
}

func (l *lane) close(ctx context.Context) error {
	switch {
	case l.runner != nil:
		return l.runner.Close(ctx)
	case l.paced != nil:
		return l.paced.Close(ctx)
	}
	return nil
}

// row is the lane's line in the document.
func (l *lane) row(o replay.LaneOutcome) report.Row {
	row := report.Row{Algorithm: l.candidate.Label, Parameters: l.candidate.Parameters, Figures: measure.Figures{Result: o.Result}}
	if program := l.candidate.Program; program != nil {
		row.ScriptSHA1 = script.SHA1(program.Source)
	}
	if l.paced != nil {
		row.DiffersFromVirtual = &l.differs
	}
	if l.left == nil {
		return row
	}
	row.KeysLeft, row.KeysWithoutTTL = &l.left.Keys, &l.left.WithoutTTL
	if o.Result.Offered > 0 {
		calls, trips := float64(l.runner.Calls())/float64(o.Result.Offered), 1.0
		row.RedisCallsPerDecision, row.RoundTripsPerDecision = &calls, &trips
	}
	if l.left.Bytes > 0 && l.left.Keys > 0 {
		each := float64(l.left.Bytes) / float64(l.left.Keys)
		row.BytesPerKey = &each
	}
	return row
}

package simulate

import (
	"context"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// lane is one entry on its way through one scenario.
type lane struct {
	entry     *lineup.Entry
	decider   replay.Decider
	observers []observer
	means     means
	traffic   *measure.Traffic // that reached this lane, where it is not the same for all

	// wrongClock: the clock that the rule goes by was off at some request, so that its bound speaks of other intervals than
	// the figures do.
	wrongClock bool
	completes  []func(*report.Row) // add what only this kind of run knows
}

// means are what decides a lane: a model, a script in virtual time, or one on the wall clock. Errors name the lane.
type means interface {
	// survey looks at what is left at the time of the last request, and fails where it is not all that ought to be there.
	survey(ctx context.Context, lastUS int64) error
	// complete adds to the row what its decisions took.
	complete(row *report.Row)
	// close deletes what is left; where that fails the server's next run has to do it.
	close(ctx context.Context) error
}

// model leaves nothing anywhere.
type model struct{}

func (model) survey(context.Context, int64) error { return nil }
func (model) complete(*report.Row)                {}
func (model) close(context.Context) error         { return nil }

// scripted is a script in virtual time on a server.
type scripted struct {
	*lineup.Virtual
	left virtualtime.Left
}

func (s *scripted) survey(ctx context.Context, lastUS int64) (err error) {
	s.left, err = s.Left(ctx, lastUS)
	return err
}

func (s *scripted) complete(row *report.Row) {
	spent := lineup.Spent{Offered: row.Offered, Calls: s.Calls(), Left: s.left}
	row.KeysLeft, row.KeysWithoutTTL = &s.left.Keys, &s.left.WithoutTTL
	row.RedisCallsPerDecision, row.RoundTripsPerDecision, row.BytesPerKey = spent.CallsPerDecision(), spent.TripsPerDecision(), spent.BytesPerKey()
}

func (s *scripted) close(ctx context.Context) error {
	err := s.Close(ctx)
	if err != nil {
		s.Watch.Server().LeftKeys()
	}
	return err
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
func (j *Job) replay(ctx context.Context, p *contest, lanes []*lane, o replay.Options) (*replay.Outcome, error) {
	var all []replay.Lane
	for _, l := range lanes {
		all = append(all, replay.Lane{Label: l.entry.Label, Decider: l.decider, Observe: l.observe,
			Counts: l.entry.Counts && !j.paced()})
	}
	o.Stop = j.Stop
	outcome, err := replay.Run(ctx, p.stream, p.Policy, all, o)
	if err == nil {
		err = survey(ctx, lanes, outcome.LastUS)
	}
	return outcome, cleanUp(ctx, lanes, err)
}

// record is replay with progress and a row for each decision, where those are wanted.
func (j *Job) record(ctx context.Context, p *contest, lanes []*lane, o replay.Options) (*replay.Outcome, error) {
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

// row is the lane's line in the document.
func (l *lane) row(o replay.LaneOutcome) report.Row {
	row := report.Row{Algorithm: l.entry.Label, Parameters: l.entry.Parameters, Figures: measure.Figures{Result: o.Result}}
	if program := l.entry.Program; program != nil {
		row.ScriptSHA1 = script.SHA1(program.Source)
	}
	l.means.complete(&row)
	return row
}

package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// lane is one candidate on its way through one scenario.
type lane struct {
	candidate *candidate
	decider   replay.Decider
	runner    *virtualtime.Runner // nil for a model
	server    *redisserver.Server // nil for a model
	left      *virtualtime.Left   // after the replay
	paced     *replay.WallClock   // real clock only
	differs   *int64              // real clock only: decisions that are not those of virtual time
	sink      func([]limit.Request, []limit.Decision) error
}

// runVirtual replays a scenario under the virtual clock.
func (j *Job) runVirtual(ctx context.Context, p *planned, b *backend) ([]*lane, *replay.Outcome, error) {
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if err := j.Decisions.begin(p.scenario.Name, lanes); err != nil {
		return nil, nil, err
	}
	outcome, err := replay.Run(ctx, p.stream, p.policy, replayLanes(lanes), replay.Options{
		Stop: j.Stop, Progress: j.requests, Parallel: b.parallel(),
	})
	if err == nil {
		err = survey(ctx, lanes, outcome.LastUS)
	}
	err = cleanUp(ctx, lanes, err)
	if err == nil {
		err = j.Decisions.end()
	}
	return lanes, outcome, err
}

func (j *Job) requests(n int64) {
	if j.Progress != nil {
		j.Progress.Requests(n)
	}
}

func replayLanes(lanes []*lane) []replay.Lane {
	var all []replay.Lane
	for _, l := range lanes {
		all = append(all, replay.Lane{Label: l.candidate.label, Decider: l.decider, Observe: l.sink})
	}
	return all
}

func (b *backend) virtualLanes(ctx context.Context, p *planned) ([]*lane, error) {
	var lanes []*lane
	for i, c := range p.candidates {
		l := &lane{candidate: c}
		lanes = append(lanes, l)
		if len(b.servers) == 0 {
			l.decider = replay.NewModel(c.model(), p.scenario.Start)
			continue
		}
		l.server = b.server(i)
		runner, err := b.runner(ctx, l.server, c.program, p.scenario.Start, 0)
		if err != nil {
			return nil, err
		}
		l.runner = runner
		l.decider = explained{runner, l.server}
	}
	return lanes, nil
}

// runner prepares a program for a server. A batch of 0 finds its own size.
func (b *backend) runner(ctx context.Context, s *redisserver.Server, program *script.Program, start time.Time, batch int) (*virtualtime.Runner, error) {
	// Deadlines are placed after the server's own clock, which need not be ours.
	real, err := s.Client.Time(ctx).Result()
	if err != nil {
		return nil, redisserver.Explain(err, s)
	}
	now := b.job.Now
	began := now()
	runner, err := virtualtime.New(
		virtualtime.Server{Client: s.Client, Shared: !s.Own, Unbuffered: s.Transport == redisserver.TransportPipe},
		program.InKeyspace(s.Prefix),
		virtualtime.Options{Start: start, Real: real, Elapsed: func() time.Duration { return now().Sub(began) }, BatchSize: batch})
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = &InputError{fmt.Errorf("%s: %w", program.Label, err)}
	}
	return runner, err
}

// explained puts the errors of a server's connection into our words.
type explained struct {
	replay.Decider
	server *redisserver.Server
}

func (e explained) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	err := e.Decider.Decide(ctx, requests, decisions)
	var call *virtualtime.CallError
	if err == nil || errors.As(err, &call) || errors.Is(err, replay.ErrStopped) {
		return err
	}
	return redisserver.Explain(err, e.server)
}

// survey counts what the scripts left on the servers at the time of the last request.
func survey(ctx context.Context, lanes []*lane, lastUS int64) error {
	for _, l := range lanes {
		if l.runner == nil {
			continue
		}
		memory := l.server.Own && l.server.Kind != redisserver.KindEmbedded // miniredis invents its answer
		left, err := l.runner.Left(ctx, lastUS, memory)
		if err != nil {
			return &replay.LaneError{Label: l.candidate.label, Err: redisserver.Explain(err, l.server)}
		}
		l.left = &left
	}
	return nil
}

// cleanUp deletes the lanes' keys. After a failure, which it returns, it is tried all the same.
func cleanUp(ctx context.Context, lanes []*lane, failed error) error {
	for _, l := range lanes {
		if l.runner == nil {
			continue
		}
		if err := l.runner.Close(context.WithoutCancel(ctx)); err != nil && failed == nil {
			failed = redisserver.Explain(err, l.server)
		}
	}
	return failed
}

// row is the lane's line in the document.
func (l *lane) row(o replay.LaneOutcome) report.Row {
	row := report.Row{Algorithm: l.candidate.label, Parameters: l.candidate.parameters, Result: o.Result, DiffersFromVirtual: l.differs}
	row.ScriptSHA1 = script.SHA1(l.candidate.program.Source)
	if l.runner == nil || l.left == nil {
		return row
	}
	row.KeysLeft, row.KeysWithoutTTL = &l.left.Keys, &l.left.WithoutTTL
	if o.Result.Offered > 0 {
		calls := float64(l.runner.Calls()) / float64(o.Result.Offered)
		trips := 1.0
		row.RedisCallsPerDecision, row.RoundTripsPerDecision = &calls, &trips
	}
	if l.left.Bytes > 0 && l.left.Keys > 0 {
		each := float64(l.left.Bytes) / float64(l.left.Keys)
		row.BytesPerKey = &each
	}
	return row
}

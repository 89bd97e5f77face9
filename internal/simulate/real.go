package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
)

// runReal replays a scenario twice: under the virtual clock, and then paced on the wall clock with the scripts as
// they are deployed. The figures are those of the wall clock; each row says how many decisions differ.
func (j *Job) runReal(ctx context.Context, p *planned, b *backend) ([]*lane, *replay.Outcome, error) {
	virtual, _, err := j.remember(ctx, p, b)
	if err != nil {
		return nil, nil, err
	}
	origin := j.origin(p)
	var lanes []*lane
	for i, c := range p.candidates {
		l, err := j.realLane(ctx, b.server(i), c, origin)
		if err != nil {
			return nil, nil, &replay.LaneError{Label: c.label, Err: redisserver.Explain(err, b.server(i))}
		}
		lanes = append(lanes, l)
	}
	if err := j.Decisions.begin(p.scenario.Name, lanes); err != nil {
		return nil, nil, err
	}
	for i, l := range lanes {
		l.compare(virtual[i])
	}
	outcome, err := replay.Run(ctx, p.stream, p.policy, replayLanes(lanes), replay.Options{
		Stop: j.Stop, Progress: j.requests, Span: 50 * time.Millisecond,
	})
	for _, l := range lanes {
		err = errors.Join(err, l.paced.Close(context.WithoutCancel(ctx)))
	}
	if err == nil {
		err = j.Decisions.end()
	}
	return lanes, outcome, err
}

// remember replays the scenario under the virtual clock and keeps what was admitted, lane by lane.
func (j *Job) remember(ctx context.Context, p *planned, b *backend) ([]*admissions, *replay.Outcome, error) {
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	var all []*admissions
	for _, l := range lanes {
		a := &admissions{}
		all = append(all, a)
		l.sink = a.record
	}
	outcome, err := replay.Run(ctx, p.stream, p.policy, replayLanes(lanes), replay.Options{Parallel: b.parallel()})
	return all, outcome, cleanUp(ctx, lanes, err)
}

// admissions is one bool for each request; a real clock's scenario is never so long that this matters.
type admissions struct{ allowed []bool }

func (a *admissions) record(_ []limit.Request, decisions []limit.Decision) error {
	for _, d := range decisions {
		a.allowed = append(a.allowed, d.Allowed())
	}
	return nil
}

// compare counts the decisions that differ from those in virtual time, before whatever else the lane's sink does.
func (l *lane) compare(virtual *admissions) {
	sink, next, differs := l.sink, 0, new(int64)
	l.differs = differs
	l.sink = func(requests []limit.Request, decisions []limit.Decision) error {
		for i := range decisions {
			if decisions[i].Allowed() != virtual.allowed[next+i] {
				*differs++
			}
		}
		next += len(decisions)
		if sink == nil {
			return nil
		}
		return sink(requests, decisions)
	}
}

// longestAlignment is how long a run waits for the wall clock to reach a multiple of the window.
const longestAlignment = time.Minute

// origin is when the first request is due: soon, and at a multiple of the window where that is not far, because
// aligned windows otherwise begin elsewhere than in virtual time.
func (j *Job) origin(p *planned) time.Time {
	soon := j.Now().Add(300 * time.Millisecond)
	if p.policy.Window > longestAlignment {
		return soon
	}
	w := p.policy.WindowUS()
	phase := p.scenario.Start.UnixMicro() % w
	at := soon.UnixMicro()
	return time.UnixMicro(at + (phase-at%w+w)%w)
}

func (j *Job) realLane(ctx context.Context, s *redisserver.Server, c *candidate, origin time.Time) (*lane, error) {
	paced, err := replay.NewWallClock(ctx, s.Client, c.program.InKeyspace(s.Prefix), replay.Clock{Now: j.Now, Sleep: j.sleep}, origin)
	if err != nil {
		return nil, err
	}
	return &lane{candidate: c, server: s, decider: explained{paced, s}, paced: paced}, nil
}

// sleep ends early when the job is to stop.
func (j *Job) sleep(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-j.Stop:
			cancel(replay.ErrStopped)
		case <-done:
		}
	}()
	if err := j.Sleep(ctx, d); err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// realNotes says how a run on the wall clock differs from virtual time, and why that may be.
func realNotes(p *planned, lanes []*lane) []string {
	var late time.Duration
	var most int64
	for _, l := range lanes {
		late = max(late, l.paced.Late())
		most = max(most, *l.differs)
	}
	notes := []string{fmt.Sprintf("paced on the wall clock: a request was sent at most %v after its time; measures use the intended times", late.Round(time.Microsecond))}
	if most > 0 {
		notes = append(notes, fmt.Sprintf("up to %d decisions differ from virtual time: requests near a boundary arrive late by the pacing and the network, TTLs count in whole milliseconds of the server's clock, and the server's clock may stand elsewhere than ours", most))
	} else {
		notes = append(notes, "every decision is the one of virtual time")
	}
	if p.policy.Window > longestAlignment {
		notes = append(notes, fmt.Sprintf("the run did not begin at a multiple of %s, so aligned windows lie elsewhere than in virtual time", limit.FormatDuration(p.policy.Window)))
	}
	return notes
}

package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// runVirtual replays a scenario under the virtual clock.
func (j *Job) runVirtual(ctx context.Context, p *planned, b *backend) ([]*lane, *replay.Outcome, error) {
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	outcome, err := j.record(ctx, p, lanes, replay.Options{Parallel: b.parallel()})
	return lanes, outcome, err
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
		var err error
		if l.runner, err = b.runner(ctx, l.server, c.program, p.scenario.Start, 0); err != nil {
			return nil, err
		}
		l.decider = explained{l.runner, l.server}
	}
	return lanes, nil
}

// runner prepares a program for a server. A batch of 0 finds its own size.
func (b *backend) runner(ctx context.Context, s *redisserver.Server, program *script.Program, start time.Time, batch int) (*virtualtime.Runner, error) {
	// Deadlines are placed after the server's own clock, which need not be ours.
	serverNow, err := s.Client.Time(ctx).Result()
	if err != nil {
		return nil, redisserver.Explain(err, s)
	}
	began := b.job.Now()
	runner, err := virtualtime.New(
		virtualtime.Server{Client: s.Client, Shared: !s.Own, Unbuffered: s.Transport == redisserver.TransportPipe},
		program.InKeyspace(s.Prefix),
		virtualtime.Options{
			Start:     start,
			Real:      serverNow,
			Elapsed:   func() time.Duration { return b.job.Now().Sub(began) },
			BatchSize: batch,
		})
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = &InputError{fmt.Errorf("%s: %w", program.Label, err)}
	}
	return runner, err
}

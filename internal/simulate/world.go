package simulate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/localflag"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/sequence"
	"ratelab/internal/world"
)

// inWorld is what a lane has of its own where clients react: what it is asked, and by whom.
type inWorld struct {
	protocol world.Protocol
	server   world.Server
	model    *world.Limiter  // nil where the server itself decides
	sequence *sequence.Play  // of a sequence's row
	flag     *localflag.Flag // of a row whose clients remember that they are over the limit

	played  *world.Outcome
	traffic measure.Traffic // that the clients made of the operations
	lastUS  int64           // of the last of its requests
	effect  *clockEffect    // nil: the clocks are right, or there is no model
}

// runWorld lets the clients of a scenario play against each row. What arrives depends on what is decided, so that each
// row has its own requests; the run's reference sees the operations, as if each were tried once.
func (j *Job) runWorld(ctx context.Context, p *planned, b *backend) ([]*lane, *replay.Outcome, error) {
	outcome, err := replay.Run(ctx, p.stream, p.Policy, nil, replay.Options{Stop: j.Stop})
	if err != nil {
		return nil, nil, err
	}
	lanes, err := b.worldLanes(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if err := j.Decisions.begin(p.Scenario.Name, lanes); err != nil {
		return nil, nil, err
	}
	err = cleanUp(ctx, lanes, j.playAll(ctx, p, b, lanes, outcome))
	if err != nil {
		return nil, nil, err
	}
	return lanes, outcome, j.Decisions.end()
}

// playAll plays every row and adds its outcome to the run's.
func (j *Job) playAll(ctx context.Context, p *planned, b *backend, lanes []*lane, outcome *replay.Outcome) error {
	rows := make([]*replay.Outcome, len(lanes))
	progress := j.sharedProgress(len(lanes))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(b.parallel())
	for i, l := range lanes {
		group.Go(func() (err error) {
			rows[i], err = j.play(inner, p, l, outcome, progress)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, l := range lanes {
		outcome.Partial = outcome.Partial || rows[i].Partial || l.world.played.Stopped
		outcome.Lanes = append(outcome.Lanes, rows[i].Lanes[0])
	}
	return nil
}

// sharedProgress is the mean of what so many rows report, as one report.
func (j *Job) sharedProgress(rows int) func(more int64) {
	var mu sync.Mutex
	var total int64
	return func(more int64) {
		mu.Lock()
		defer mu.Unlock()
		total += more
		if j.Progress != nil {
			j.Progress.Requests(total / int64(rows))
		}
	}
}

// worldLanes prepares every row: each entry, once more where clients remember, and the sequences.
func (b *backend) worldLanes(ctx context.Context, p *planned) ([]*lane, error) {
	var lanes []*lane
	for _, c := range p.Entries {
		l, err := b.worldLane(ctx, p, c, len(lanes))
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
		if !hasLocalFlag(p.Scenario) || c.NewModel == nil {
			continue
		}
		if l, err = b.worldLane(ctx, p, withLocalFlag(c), len(lanes)); err != nil {
			return nil, err
		}
		l.remember(p)
		lanes = append(lanes, l)
	}
	for _, c := range p.sequences {
		lanes = append(lanes, b.sequenceLane(p, c, len(lanes)))
	}
	return lanes, nil
}

// worldLane prepares an entry: its model decides where it has one, and its script, on the server, confirms.
func (b *backend) worldLane(ctx context.Context, p *planned, c *lineup.Entry, number int) (*lane, error) {
	l := &lane{entry: c, world: &inWorld{protocol: world.OneCall{}}}
	if len(b.servers) > 0 {
		l.server, l.watch = b.server(number), b.watch(number)
		times := lineup.Times{Start: p.Scenario.Start, Behind: p.Scenario.ServerClock.Behind(), Company: &b.company}
		var err error
		if l.script, err = c.On(ctx, l.server, l.watch, times, b.job.clock()); err != nil {
			return nil, err
		}
	}
	if c.NewModel == nil {
		l.world.server = oneByOne{ctx, l.script}
		return l, nil
	}
	l.world.model = world.NewLimiter(c.NewModel(), p.Scenario.Start)
	l.world.model.CheckRetryAfter(c.TickUS)
	l.world.server = l.world.model
	return l, nil
}

// oneByOne is a world.Server on which a script decides one request at a time.
type oneByOne struct {
	ctx     context.Context // of the run: world.Server has no place for it
	decider replay.Decider
}

// Serve decides q; any message will do.
func (o oneByOne) Serve(q limit.Request, _ any) (any, error) {
	decisions := make([]limit.Decision, 1)
	if err := o.decider.Decide(o.ctx, []limit.Request{q}, decisions); err != nil {
		return nil, err
	}
	return decisions[0], nil
}

// play lets the clients play against one row, then measures its journal.
func (j *Job) play(ctx context.Context, p *planned, l *lane, base *replay.Outcome, progress func(int64)) (*replay.Outcome, error) {
	w := l.world
	var before int64
	setup := j.setup(p, w.protocol, w.server)
	setup.Progress = func(operations int64) {
		progress(operations - before)
		before = operations
	}
	var err error
	if w.played, err = world.Run(setup, p.stream); err != nil {
		return nil, playError(ctx, p, l, err)
	}
	row, err := replay.Run(ctx, &recorded{Journal: w.played.Journal, duration: base.Duration, foreseen: !p.endless()}, p.Policy,
		[]replay.Lane{{Label: l.entry.Label, Decider: l.confirmation(j), Observe: l.observe, Counts: l.entry.Counts}},
		p.findings(replay.Options{Reach: base.LastUS}))
	if err != nil {
		return nil, err
	}
	w.traffic, w.lastUS = row.Traffic, row.LastUS
	if err := l.confirmCommands(ctx, row, j.Stop); err != nil {
		return nil, err
	}
	if err := survey(ctx, []*lane{l}, row.LastUS); err != nil {
		return nil, err
	}
	w.effect, err = j.clockEffect(ctx, p, l)
	return row, err
}

func (j *Job) setup(p *planned, protocol world.Protocol, server world.Server) world.Setup {
	return world.Setup{
		Seed: p.Seed, Groups: p.Scenario.Clients, ServerClock: p.Scenario.ServerClock,
		Protocol: protocol, Server: server, Stop: j.Stop,
	}
}

// playError names the row, and blames the scenario for more attempts than anybody could want.
func playError(ctx context.Context, p *planned, l *lane, err error) error {
	var many *world.TooManyError
	var bad *replay.TrafficError
	switch {
	case errors.As(err, &many):
		return &InputError{Err: fmt.Errorf("%s: clients: against %s: %w", p.Scenario.Name, l.entry.Label, err)}
	case errors.As(err, &bad) || errors.Is(err, context.Canceled):
		return err
	case l.server != nil:
		return &replay.LaneError{Label: l.entry.Label, Err: l.watch.Explain(ctx, err)}
	}
	return &replay.LaneError{Label: l.entry.Label, Err: err}
}

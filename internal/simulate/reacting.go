package simulate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/clients"
	"ratelab/internal/lineup"
	"ratelab/internal/replay"
)

// runReacting lets the clients of a scenario play against each row. What arrives depends on what is decided, so that
// each row has its own requests; the run's reference sees the operations, as if each were tried once.
func (j *Job) runReacting(ctx context.Context, p *contest, b *backend) ([]*lane, *replay.Outcome, error) {
	outcome, err := replay.Run(ctx, p.stream, p.Policy, nil, replay.Options{Stop: j.Stop})
	if err != nil {
		return nil, nil, err
	}
	all, err := b.contenders(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	var lanes []*lane
	for _, c := range all {
		lanes = append(lanes, c.lane)
	}
	if err := j.Decisions.begin(p.Scenario.Name, lanes); err != nil {
		return nil, nil, err
	}
	err = cleanUp(ctx, lanes, j.playAll(ctx, p, b, all, outcome))
	if err != nil {
		return nil, nil, err
	}
	for _, c := range all {
		c.finish(p, outcome.Duration)
	}
	return lanes, outcome, j.Decisions.end()
}

// playAll plays every row and adds its outcome to the run's.
func (j *Job) playAll(ctx context.Context, p *contest, b *backend, all []*contender, outcome *replay.Outcome) error {
	rows := make([]*replay.Outcome, len(all))
	progress := j.sharedProgress(len(all))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(b.parallel())
	for i, c := range all {
		group.Go(func() (err error) {
			rows[i], err = j.play(inner, p, c, outcome, progress)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, c := range all {
		outcome.Partial = outcome.Partial || rows[i].Partial || c.played.Stopped
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

// contenders prepares every row: each entry, once more where clients remember, and the sequences.
func (b *backend) contenders(ctx context.Context, p *contest) ([]*contender, error) {
	var all []*contender
	for _, e := range p.Entries {
		c, err := b.contender(ctx, p, e, len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if !hasLocalFlag(p.Scenario) || e.NewModel == nil {
			continue
		}
		if c, err = b.contender(ctx, p, withLocalFlag(e), len(all)); err != nil {
			return nil, err
		}
		c.remember(p)
		all = append(all, c)
	}
	for _, choice := range p.sequences {
		all = append(all, b.sequenceContender(p, choice, len(all)))
	}
	return all, nil
}

// contender prepares an entry: its model decides where it has one, and its script, on the server, confirms.
func (b *backend) contender(ctx context.Context, p *contest, e *lineup.Entry, number int) (*contender, error) {
	c := &contender{lane: &lane{entry: e, means: model{}}, protocol: clients.OneCall{}}
	if len(b.servers) > 0 {
		c.watch = b.watch(number)
		times := lineup.Times{Start: p.Scenario.Start, Behind: p.Scenario.ServerClock.Behind(), Company: &b.company}
		v, err := e.On(ctx, c.watch, times, b.job.clock())
		if err != nil {
			return nil, err
		}
		c.means, c.script = &scripted{Virtual: v}, v
	}
	if e.NewModel == nil {
		c.server = lineup.OneByOne{Decider: c.script}
		return c, nil
	}
	c.model = clients.NewLimiter(e.NewModel(), p.Scenario.Start)
	c.model.CheckRetryAfter(e.TickUS)
	c.server = c.model
	return c, nil
}

// play lets the clients play against one row, then measures its journal.
func (j *Job) play(ctx context.Context, p *contest, c *contender, base *replay.Outcome,
	progress func(int64)) (*replay.Outcome, error) {
	var before int64
	setup := j.setup(p, c.protocol, c.server)
	setup.Progress = func(operations int64) {
		progress(operations - before)
		before = operations
	}
	var err error
	if c.played, err = clients.Run(ctx, setup, p.stream); err != nil {
		return nil, playError(ctx, p, c, err)
	}
	again := &lineup.Recorded{Journal: c.played.Journal, Lasts: base.Duration, Foreseen: !p.endless()}
	row, err := replay.Run(ctx, again, p.Policy,
		[]replay.Lane{{Label: c.entry.Label, Decider: c.confirmation(j), Observe: c.observe, Counts: c.entry.Counts}},
		p.findings(replay.Options{Reach: base.LastUS}))
	if err != nil {
		return nil, err
	}
	c.traffic, c.lastUS = &row.Traffic, row.LastUS
	if c.sequence != nil {
		if err := c.sequence.Finish(base.Duration.Microseconds()); err != nil {
			return nil, err
		}
	}
	if err := c.confirmCommands(ctx, row, j.Stop); err != nil {
		return nil, err
	}
	if err := c.means.survey(ctx, row.LastUS); err != nil {
		return nil, err
	}
	c.effect, err = j.clockEffect(ctx, p, c)
	return row, err
}

// playError names the row, and blames the scenario for more attempts than anybody could want.
func playError(ctx context.Context, p *contest, c *contender, err error) error {
	var many *clients.TooManyError
	var bad *replay.TrafficError
	switch {
	case errors.As(err, &many):
		return &InputError{Err: fmt.Errorf("%s: clients: against %s: %w", p.Scenario.Name, c.entry.Label, err)}
	case errors.As(err, &bad) || errors.Is(err, context.Canceled):
		return err
	case c.watch != nil:
		return &replay.LaneError{Label: c.entry.Label, Err: c.watch.Explain(ctx, err)}
	}
	return &replay.LaneError{Label: c.entry.Label, Err: err}
}

// confirmation is what decides the journal again: the script where there is a server, and else the journal.
func (c *contender) confirmation(j *Job) replay.Decider {
	journal := lineup.FromJournal{Decisions: c.played.Journal.Decisions}
	if c.script == nil || c.model == nil {
		return &journal
	}
	script := c.script
	if c.flag != nil {
		script = &behindFlag{inner: script, journal: c.played.Journal}
	}
	return &confirming{Decider: script, model: &journal, stop: j.Stop}
}

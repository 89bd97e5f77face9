package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
	"ratelab/internal/traffic"
)

// react runs a plan whose clients react, once per row. Requests depend on decisions, so each row has its own requests.
// The run's reference sees each operation once, without retries.
func (g *game) react(ctx context.Context) (*replay.Outcome, error) {
	outcome, err := replay.Run(ctx, g.Stream, g.Policy, nil, replay.Options{})
	if err == nil {
		err = g.playAll(ctx, outcome)
	}
	return outcome, err
}

// playAll runs the clients against each row and adds the row's outcome to the run's. Progress is the mean over the
// rows.
func (g *game) playAll(ctx context.Context, outcome *replay.Outcome) error {
	found := make([]*replay.Outcome, len(g.rows))
	var mu sync.Mutex
	var total int64
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range g.rows {
		var before int64
		progress := func(operations int64) {
			mu.Lock()
			defer mu.Unlock()
			total, before = total+operations-before, operations
			if g.Progress != nil {
				g.Progress(total / int64(len(g.rows)))
			}
		}
		group.Go(func() (err error) {
			found[i], err = g.playRow(inner, r, outcome, progress)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, r := range g.rows {
		outcome.Partial = outcome.Partial || found[i].Partial || r.played.Stopped
		outcome.Rows = append(outcome.Rows, found[i].Rows[0])
	}
	return nil
}

// openReacting prepares all rows: each limiter, and each limiter with a model a second time with a local flag.
func (g *game) openReacting(ctx context.Context) error {
	for _, l := range g.Limiters {
		if err := g.reactingRow(ctx, l); err != nil {
			return err
		}
		if !hasLocalFlag(g.Scenario) || l.NewModel == nil {
			continue
		}
		if err := g.reactingRow(ctx, l.Labelled(l.Label+scenario.LocalFlagSuffix, "local-flag:")); err != nil {
			return err
		}
		r := g.rows[len(g.rows)-1]
		r.flag = clients.NewLocalFlag(r.protocol, r.model, g.Scenario.ServerClock)
		r.protocol = r.flag
	}
	return nil
}

// reactingRow adds a limiter's row. The model decides and the script confirms. Without a model, the script decides.
func (g *game) reactingRow(ctx context.Context, l *limiter.Limiter) error {
	r, err := g.row(ctx, l)
	if err != nil {
		return err
	}
	r.protocol = clients.OneCall{}
	switch {
	case l.Sequence != nil:
		r.sequence = sequence.New(*l.Sequence, g.Policy, g.Scenario.Start, g.Seed)
		r.protocol, r.answers = r.sequence, r.sequence
	case l.NewModel == nil:
		r.answers = oneByOne{r.script}
		if g.Scenario.ClocksOff() {
			r.right, err = g.engine.Open(ctx, g.Plan, l.Labelled(l.Label, "right:"))
		}
	default:
		r.model = clients.NewLimiter(l.NewModel(), g.Scenario.Start)
		r.model.TickUS = l.TickUS
		r.answers = r.model
	}
	return err
}

// setup returns the plan's clients and clocks.
func (p *Plan) setup(protocol clients.Protocol, server clients.Replier) clients.Setup {
	return clients.Setup{Seed: p.Seed, Groups: p.Scenario.Clients, ServerClock: p.Scenario.ServerClock,
		Protocol: protocol, Server: server}
}

// meet runs the clients against the setup's server. If clients never retry, their requests do not depend on decisions.
// For a script, they are then collected first and decided in batches, which is as fast as without clients. A run that
// is stopped during that has no decisions.
func (p *Plan) meet(ctx context.Context, s clients.Setup) (*clients.Outcome, error) {
	if script, ok := s.Server.(oneByOne); ok && !p.triesAgain() {
		first, decided := s, &replay.Recorded{}
		first.Server, first.Progress = oneByOne{decided}, nil // rejects all
		gathered, err := clients.Run(ctx, first, p.Stream)
		if err != nil {
			return nil, err
		}
		decided.Decisions = make([]limit.Decision, len(gathered.Journal.Requests))
		err = script.Decider.Decide(context.WithoutCancel(ctx), gathered.Journal.Requests, decided.Decisions)
		if err != nil && !errors.Is(err, message.ErrInterrupted) {
			return nil, err
		}
		s.Server = first.Server
	}
	return clients.Run(ctx, s, p.Stream)
}

// playRow runs the clients against a row, then measures its journal.
func (g *game) playRow(ctx context.Context, r *row, base *replay.Outcome, progress func(int64)) (
	*replay.Outcome, error) {
	p := g.Plan
	setup := p.setup(r.protocol, r.answers)
	setup.Progress = progress
	var err error
	if r.played, err = p.meet(ctx, setup); err != nil {
		return nil, r.playError(p, err)
	}
	again := traffic.List(r.played.Journal.Requests, base.Duration, !p.endless())
	r.decider = r.confirmation()
	outcome, err := replay.Run(ctx, again, p.Policy, []replay.Row{r.replayed()},
		replay.Options{Reach: max(1, base.LastUS), Scales: p.scales()})
	if err != nil {
		return nil, err
	}
	r.traffic, r.lastUS = &outcome.Traffic, outcome.LastUS
	if r.sequence != nil {
		r.sequence.Finish(base.Duration.Microseconds())
		if err := g.confirmCommands(ctx, r.sequence, outcome); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Label, err)
		}
	}
	if err := r.survey(ctx, outcome.LastUS); err != nil {
		return nil, err
	}
	r.effect, err = g.clockEffect(ctx, r)
	return outcome, err
}

// playError adds the row's name to an error. Too many attempts are a mistake in the scenario.
func (r *row) playError(p *Plan, err error) error {
	var many *clients.TooManyError
	switch {
	case errors.As(err, &many):
		return replay.Invalid("%s: clients: against %s: %w", p.Scenario.Name, r.Label, err)
	case errors.Is(err, context.Canceled):
		return err
	}
	return replay.Named(r.Label, err)
}

// confirmation decides the journal's requests again: with the script if there is a server, otherwise from the journal.
func (r *row) confirmation() replay.Decider {
	journal := replay.Recorded{Decisions: r.played.Journal.Decisions}
	if r.script == nil || r.model == nil {
		return &journal
	}
	var script replay.Decider = r.script
	if r.flag != nil {
		script = &behindFlag{script: script, journal: r.played.Journal}
	}
	return &confirming{Decider: script, model: &journal, alike: sameAnswer}
}

// mostConfirmed is the most commands of a sequence that are repeated on the server. Each takes almost a millisecond on
// the embedded server, and a server that replies differently does so early.
const mostConfirmed = 5000

// confirmCommands sends a sequence's commands to the server, if there is one, and fails unless the replies are the
// same. The outcome is partial if the run was stopped first.
func (g *game) confirmCommands(ctx context.Context, play *sequence.Play, o *replay.Outcome) error {
	calls := play.Calls()
	err := g.engine.Confirm(ctx, calls[:min(len(calls), mostConfirmed)])
	if errors.Is(err, message.ErrInterrupted) {
		o.Partial = true
		return nil
	}
	return err
}

// clockEffect runs a row again with correct clocks, and compares. The model decides, or, without a model, the script
// under other keys. It returns nil if the clocks are correct already, if the row is a sequence, or if the run was
// stopped.
func (g *game) clockEffect(ctx context.Context, r *row) (*measure.ClockEffect, error) {
	p := g.Plan
	if r.sequence != nil || r.flag != nil || !p.Scenario.ClocksOff() || r.played.Stopped {
		return nil, nil
	}
	setup := p.setup(r.protocol, oneByOne{r.right})
	if r.model != nil {
		setup.Server = clients.NewLimiter(r.NewModel(), p.Scenario.Start)
	}
	setup.Groups, setup.ServerClock = slices.Clone(setup.Groups), nil
	for i := range setup.Groups {
		setup.Groups[i].OffsetUS, setup.Groups[i].DriftPPM = clients.Range{}, clients.Range{}
	}
	right, err := p.meet(ctx, setup)
	if err != nil {
		return nil, r.playError(p, err)
	}
	if right.Stopped {
		return nil, nil
	}
	duration, _ := p.Stream.Duration()
	return clients.CompareClocks(r.played.Journal, right.Journal, p.Policy, p.Scenario.ServerClock,
		duration.Microseconds()), nil
}

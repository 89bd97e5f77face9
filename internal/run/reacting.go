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

// react runs a plan whose clients react, once per row: requests depend on decisions, so each row has its own. The
// run's reference sees each operation once, without retries.
func (a *Ask) react(ctx context.Context, p *Plan) ([]*row, *replay.Outcome, error) {
	outcome, err := replay.Run(ctx, p.Stream, p.Policy, nil, replay.Options{Stop: a.Stop})
	if err != nil {
		return nil, nil, err
	}
	rows, err := a.reacting(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if err := a.Server.Clean(ctx, a.playAll(ctx, p, rows, outcome)); err != nil {
		return nil, nil, err
	}
	return rows, outcome, nil
}

// playAll runs the clients against every row and adds its outcome to the run's. Progress is the mean of the rows'.
func (a *Ask) playAll(ctx context.Context, p *Plan, rows []*row, outcome *replay.Outcome) error {
	found := make([]*replay.Outcome, len(rows))
	var mu sync.Mutex
	var total int64
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range rows {
		var before int64
		progress := func(operations int64) {
			mu.Lock()
			defer mu.Unlock()
			total, before = total+operations-before, operations
			if a.Progress != nil {
				a.Progress.Requests(total / int64(len(rows)))
			}
		}
		group.Go(func() (err error) {
			found[i], err = a.playRow(inner, p, r, i, outcome, progress)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, r := range rows {
		outcome.Partial = outcome.Partial || found[i].Partial || r.played.Stopped
		outcome.Rows = append(outcome.Rows, found[i].Rows[0])
	}
	return nil
}

// reacting prepares every row: each limiter, each limiter with a local flag, and the sequences.
func (a *Ask) reacting(ctx context.Context, p *Plan) ([]*row, error) {
	var all []*row
	for _, l := range p.Limiters {
		both := []*limiter.Limiter{l}
		if hasLocalFlag(p.Scenario) && l.NewModel != nil {
			both = append(both, l.Labelled(l.Label+scenario.LocalFlagSuffix, "local-flag:"))
		}
		for i, l := range both {
			r, err := a.reactingRow(ctx, p, l, len(all))
			if err != nil {
				return nil, err
			}
			if i > 0 {
				r.flag = clients.NewLocalFlag(r.protocol, r.model, p.Scenario.ServerClock)
				r.protocol = r.flag
			}
			all = append(all, r)
		}
	}
	for _, choice := range p.sequences {
		play := sequence.New(choice, p.Policy, p.Scenario.Start, p.Seed)
		l := limiter.OfSequence(choice)
		r, err := a.row(ctx, p, l, len(all))
		if err != nil {
			return nil, err
		}
		r.protocol, r.answers, r.sequence = play, play, play
		all = append(all, r)
	}
	return all, nil
}

// reactingRow prepares a limiter's row. The model decides and the script confirms; without a model the script decides.
func (a *Ask) reactingRow(ctx context.Context, p *Plan, l *limiter.Limiter, number int) (*row, error) {
	r, err := a.row(ctx, p, l, number)
	if err != nil {
		return nil, err
	}
	r.protocol = clients.OneCall{}
	if l.NewModel == nil {
		r.answers = oneByOne{r.script}
		if p.Scenario.ClocksOff() {
			r.right, err = a.Server.Open(ctx, l.Labelled(l.Label, "right:"), p.Scenario.Start, 0, number)
		}
		return r, err
	}
	r.model = clients.NewLimiter(l.NewModel(), p.Scenario.Start)
	r.model.TickUS = l.TickUS
	r.answers = r.model
	return r, nil
}

// setup has the plan's clients and clocks.
func (a *Ask) setup(p *Plan, protocol clients.Protocol, server clients.Server) clients.Setup {
	return clients.Setup{Seed: p.Seed, Groups: p.Scenario.Clients, ServerClock: p.Scenario.ServerClock,
		Protocol: protocol, Server: server, Stop: a.Stop}
}

// meet runs the clients against the setup's server. If clients never try again, their requests depend on no decision:
// before a script they are gathered first, and decided in batches, which is as fast as it is without clients. A run
// that is stopped meanwhile has no decisions.
func (p *Plan) meet(ctx context.Context, s clients.Setup) (*clients.Outcome, error) {
	if script, ok := s.Server.(oneByOne); ok && !p.triesAgain() {
		first, decided := s, &replay.Recorded{}
		first.Server, first.Progress = oneByOne{decided}, nil // rejects all
		gathered, err := clients.Run(ctx, first, p.Stream)
		if err != nil {
			return nil, err
		}
		decided.Decisions = make([]limit.Decision, len(gathered.Journal.Requests))
		err = script.Decider.Decide(ctx, gathered.Journal.Requests, decided.Decisions)
		if err != nil && !errors.Is(err, message.ErrStopped) {
			return nil, err
		}
		s.Server = first.Server
	}
	return clients.Run(ctx, s, p.Stream)
}

// playRow runs the clients against the row of that number, then measures its journal.
func (a *Ask) playRow(ctx context.Context, p *Plan, r *row, number int, base *replay.Outcome,
	progress func(int64)) (*replay.Outcome, error) {
	setup := a.setup(p, r.protocol, r.answers)
	setup.Progress = progress
	var err error
	if r.played, err = p.meet(ctx, setup); err != nil {
		return nil, r.playError(p, err)
	}
	again := traffic.List(r.played.Journal.Requests, base.Duration, !p.endless())
	r.decider = r.confirmation(a.Stop)
	outcome, err := replay.Run(ctx, again, p.Policy, []replay.Row{r.replayed()},
		replay.Options{Reach: max(1, base.LastUS), Scales: p.scales()})
	if err != nil {
		return nil, err
	}
	r.traffic, r.lastUS = &outcome.Traffic, outcome.LastUS
	if r.sequence != nil {
		r.sequence.Finish(base.Duration.Microseconds())
		if err := a.confirmCommands(ctx, r.sequence, number, outcome); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Label, err)
		}
	}
	if err := r.survey(ctx, outcome.LastUS); err != nil {
		return nil, err
	}
	r.effect, err = a.clockEffect(ctx, p, r)
	return outcome, err
}

// playError adds the row's name. Too many attempts are a mistake in the scenario.
func (r *row) playError(p *Plan, err error) error {
	var many *clients.TooManyError
	switch {
	case errors.As(err, &many):
		return replay.Invalid("%s: clients: against %s: %w", p.Scenario.Name, r.Label, err)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%s: %w", r.Label, err)
}

// confirmation decides the journal's requests again: the script if there is a server, otherwise the journal itself.
func (r *row) confirmation(stop <-chan struct{}) replay.Decider {
	journal := replay.Recorded{Decisions: r.played.Journal.Decisions}
	if r.script == nil || r.model == nil {
		return &journal
	}
	var script replay.Decider = r.script
	if r.flag != nil {
		script = &behindFlag{script: script, journal: r.played.Journal}
	}
	return &confirming{Decider: script, model: &journal, alike: sameAnswer, stop: stop}
}

// mostConfirmed is the most commands of a sequence that are sent again. Each takes most of a millisecond on the
// embedded server, and a server that replies differently does so early.
const mostConfirmed = 5000

// confirmCommands sends a sequence's commands to the server, if there is one, and fails unless the replies are the
// same. The outcome is partial if the run was stopped first.
func (a *Ask) confirmCommands(ctx context.Context, play *sequence.Play, row int, o *replay.Outcome) error {
	calls := play.Calls()
	err := a.Server.Confirm(ctx, calls[:min(len(calls), mostConfirmed)], row)
	if errors.Is(err, message.ErrStopped) {
		o.Partial = true
		return nil
	}
	return err
}

// clockEffect runs a row again with correct clocks, and compares: the model, or a script without one under other keys.
// It is nil if the clocks are correct already, if the row is a sequence, and if the run was stopped.
func (a *Ask) clockEffect(ctx context.Context, p *Plan, r *row) (*measure.ClockEffect, error) {
	if r.sequence != nil || r.flag != nil || !p.Scenario.ClocksOff() || r.played.Stopped {
		return nil, nil
	}
	setup := a.setup(p, r.protocol, oneByOne{r.right})
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

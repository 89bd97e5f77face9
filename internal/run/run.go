// Package run plays scenarios against limiters. simulate, bench and the other commands share it.
//
// A command fills in an Ask: scenarios and limiters.
//
//   - Ask.Plans resolves the names. It returns one Plan per scenario, or one error that lists all mistakes.
//   - Play plays a Plan: all limiters decide the same requests, and each limiter's decisions are measured. If clients
//     react to rejections, each limiter gets its own requests.
//   - Ask.Play plays all Plans, one after the other.
//
// An Engine runs scripts in virtual time. Package engine implements it. Without an Engine, Go models decide. With one,
// a script and its model must agree. Ask.Compare runs two limiters and finds the first decision that differs.
//
// The package opens no file, opens no connection and starts no process. Commands are responsible for flags, output and
// exit codes.
package run

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/accesslog"
	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// Ask is the input of a command.
type Ask struct {
	Scenarios  []*scenario.Scenario
	Default    bool                // the user named no scenarios; a script that cannot play one has no row in it
	Algorithms []algorithms.Choice // nil: all, and those that a scenario's expect names
	Expected   bool                // only the rows that a scenario's expect names, instead of Algorithms
	Scripts    []script.File       // users' scripts
	Sweeps     []*algorithms.Swept // their rows are among Algorithms
	Instead

	Version string

	Progress  Progress
	Sample    bool              // for a long log, scripts confirm a part of the models' decisions; see Plan.Sample
	OtherRule bool              // for traces with whole seconds: add a note with the figures under the other rule
	Decided   func(*result.Run) // called with each scenario's figures as soon as they exist; may be nil
	// Watch returns a function that receives a row's decisions, batch by batch. It is called once per row, in order. It
	// may be nil.
	Watch func(scenario, label string) (Observer, error)
}

// Observer receives a row's decisions, batch by batch.
type Observer = func([]limit.Request, []limit.Decision) error

// Progress receives a run's progress. A total of 0 means that it is unknown.
type Progress interface {
	Scenario(name string, number, of int, total int64)
	Requests(done int64)
}

// Result is the result of Ask.Run.
type Result struct {
	Document result.Document
	Charts   []curves.Input

	Interrupted bool // the last run is partial, or its notes say how many scenarios did not run
}

// Run makes the plans and plays them. Errors are a *replay.InputError, an error of the engine, or a failure of this
// program. The result is then nil. A failed expectation is not an error here.
func (a *Ask) Run(ctx context.Context, engine Engine) (*Result, error) {
	plans, err := a.Plans()
	if err != nil {
		return nil, err
	}
	return a.Play(ctx, plans, engine)
}

// Play plays all plans. It returns the errors of Run.
func (a *Ask) Play(ctx context.Context, plans []*Plan, engine Engine) (*Result, error) {
	all := &Result{Document: *result.New(result.OfSimulate, a.Version)}
	for i, p := range plans {
		if a.Progress != nil {
			total, _ := p.Stream.Count()
			a.Progress.Scenario(p.Scenario.Name, i+1, len(plans), total)
			p.Progress = a.Progress.Requests
		}
		p.Sample = a.Sample
		if a.Watch != nil {
			p.Watch = func(label string) (Observer, error) { return a.Watch(p.Scenario.Name, label) }
		}
		run, picture, err := Play(ctx, p, engine)
		if err == nil && a.OtherRule && !run.Partial && p.Stream.Spread() > 0 {
			err = a.noteOtherRule(ctx, p, run)
		}
		if err != nil {
			return nil, err
		}
		picture.Version = a.Version
		if run.Server.Kind == ModelServer {
			run.Server.Version = a.Version
		}
		all.Document.Runs = append(all.Document.Runs, *run)
		run = &all.Document.Runs[i]
		picture.Run = run
		if !run.Partial || endTogether(run.Results) { // otherwise the rows have no common time axis
			all.Charts = append(all.Charts, *picture)
		}
		left := len(plans) - i - 1
		all.Interrupted = run.Partial || left > 0 && ctx.Err() != nil
		if all.Interrupted && left > 0 {
			run.Notes = append(run.Notes,
				fmt.Sprintf("interrupted: scenarios after this one that did not run: %d", left))
		}
		if a.Decided != nil {
			a.Decided(run)
		}
		if all.Interrupted {
			break
		}
	}
	return all, nil
}

// noteOtherRule plays a plan's scenario under the other rule for whole seconds, and notes what differs.
func (a *Ask) noteOtherRule(ctx context.Context, p *Plan, run *result.Run) error {
	other := Ask{Scenarios: []*scenario.Scenario{p.Scenario.UnderRule(accesslog.AtStart)}, Algorithms: a.Algorithms,
		Instead: a.Instead}
	found, err := other.Run(ctx, nil)
	if err == nil && !found.Interrupted {
		run.Notes = append(run.Notes, wholeSeconds(run, &found.Document.Runs[0])...)
	}
	return err
}

// Play plays a plan. After an interrupt of ctx it finishes the current batches, and the run is partial. If engine is
// nil, the models decide. It returns the errors of Ask.Run.
func Play(ctx context.Context, p *Plan, engine Engine) (*result.Run, *curves.Input, error) {
	g := &game{Plan: p, engine: engine}
	if engine == nil {
		if len(p.Foreign()) > 0 {
			return nil, nil, &replay.InputError{Err: ErrNoServer}
		}
		g.engine = models{}
	}
	open, play := g.open, g.replay
	if p.Scenario.Reactive() {
		open, play = g.openReacting, g.react
	}
	var err error
	if p.Sample && p.Scenario.Recorded() && !p.Scenario.Reactive() {
		g.sample, err = p.sampled()
	}
	if err != nil {
		return nil, nil, g.engine.Clean(ctx, err)
	}
	err = open(context.WithoutCancel(ctx)) // even an interrupted run has all its rows
	var outcome *replay.Outcome
	if err == nil {
		outcome, err = play(ctx)
	}
	if err = g.engine.Clean(ctx, err); err != nil {
		return nil, nil, err
	}
	run := g.describe(outcome)
	picture := &curves.Input{Run: run, Traffic: outcome.Traffic}
	if run.Reference != nil {
		picture.Reference = &outcome.ReferenceSeries
	}
	picture.ReferenceLimits = outcome.ReferenceLimitSeries
	for i, l := range outcome.Rows {
		picture.Algorithms = append(picture.Algorithms, curves.Limiter{Label: g.rows[i].Label, Series: l.Series,
			Traffic: g.rows[i].traffic, Limits: l.Limits})
	}
	return run, picture, nil
}

// game is a plan in progress.
type game struct {
	*Plan
	engine Engine
	sample *sample // nil: scripts decide all requests
	rows   []*row
}

// replay lets all rows decide the plan's traffic, and counts the keys that they leave on the server.
func (g *game) replay(ctx context.Context) (*replay.Outcome, error) {
	var all []replay.Row
	for _, r := range g.rows {
		all = append(all, r.replayed())
	}
	options := replay.Options{Sources: runtime.GOMAXPROCS(0), Scales: g.scales(), Progress: g.Progress,
		Limits: g.Limits, LimitScales: !g.Brief}
	if g.Brief {
		options.Sources = 1
	}
	outcome, err := replay.Run(ctx, g.Stream, g.Policy, all, options)
	for i := 0; err == nil && i < len(g.rows); i++ {
		err = g.rows[i].survey(ctx, outcome.LastUS)
	}
	return outcome, err
}

// mostRowsNamed is the most rows that wholeSeconds names.
const mostRowsNamed = 3

// wholeSeconds names the rows that decide differently under the other rule, as in "3 instead of 0 (gcra)". It returns
// nil if no row differs.
func wholeSeconds(run, atOnce *result.Run) []string {
	var rows []string
	for i := range run.Results {
		row := &run.Results[i]
		if other := atOnce.Find(row.Algorithm); other != nil && other.Rejected != row.Rejected {
			rows = append(rows, fmt.Sprintf("%d instead of %d (%s)", other.Rejected, row.Rejected, row.Algorithm))
		}
	}
	if rows == nil {
		return nil
	}
	text := "times are whole seconds, spread evenly within each (--within-second even); at_once would reject " +
		strings.Join(rows[:min(len(rows), mostRowsNamed)], ", ")
	if more := len(rows) - mostRowsNamed; more > 0 {
		text += fmt.Sprintf(", and differently in %s", message.Count(more, "more row"))
	}
	return []string{text}
}

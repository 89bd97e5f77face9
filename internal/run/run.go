// Package run is the main hall: it runs scenarios against rate limiters. simulate and bench share it.
//
// A command fills in an Ask: scenarios, limiters and a Server.
//
//   - Ask.Plans resolves the names. It returns one Plan per scenario, or one error that lists every mistake.
//   - Ask.Play runs each Plan: all limiters decide the same requests, and each limiter's decisions are measured. Where
//     clients react to rejections, each limiter gets requests of its own.
//   - The Result holds the document and the charts' data.
//
// A Server runs scripts in virtual time; package host implements it. Without a Server, Go models decide. With one, a
// script and its model must agree. Ask.Compare runs two limiters and finds the first decision that differs.
//
// The package opens no file, dials nothing and starts no process. Commands own flags, output and exit codes.
package run

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// Ask is what a command asks for.
type Ask struct {
	Scenarios  []*scenario.Scenario
	Algorithms []algorithms.Choice // nil: all, and those that a scenario's expect names
	Expected   bool                // only the rows that a scenario's expect names, instead of Algorithms
	Scripts    []script.File       // users' scripts
	Server     Server              // runs the scripts; nil: the Go models decide
	Instead

	Version string
	Stop    <-chan struct{} // closed: stop early and mark the document partial

	Progress  Progress
	OtherRule bool              // for traces with whole seconds: a note has the figures under the other rule
	Decided   func(*result.Run) // called with each scenario's figures as soon as they exist; may be nil
	// Watch returns a function that receives a row's decisions, batch by batch. It is called once per row, in order. It
	// may be nil.
	Watch func(scenario, label string) (func([]limit.Request, []limit.Decision) error, error)
}

// Progress receives a run's progress. A total of 0 means that it is unknown.
type Progress interface {
	Scenario(name string, number, of int, total int64)
	Requests(done int64)
}

// Result is what Run found.
type Result struct {
	Document result.Document
	Charts   []curves.Input

	Interrupted bool   // the last run is partial, or its notes say how many scenarios are missing
	Kept        string // the keys that an interrupted run left on a given server; "": none
}

// Run makes the plans and plays them. Errors are a *replay.InputError, the server's, or the harness's own; the result
// is then nil. A missed expectation is no error here.
func (a *Ask) Run(ctx context.Context) (*Result, error) {
	plans, err := a.Plans()
	if err != nil {
		return nil, err
	}
	return a.Play(ctx, plans)
}

// Play runs every plan. Its errors are those of Run.
func (a *Ask) Play(ctx context.Context, plans []*Plan) (*Result, error) {
	on, err := a.started(ctx, plans)
	if err != nil {
		return nil, err
	}
	defer on.Server.Close()
	return on.play(ctx, plans)
}

// PlayOne runs one plan, without trying its scripts first. A stopped run is partial.
func (a *Ask) PlayOne(ctx context.Context, p *Plan) (*result.Run, error) {
	on, err := a.started(ctx, []*Plan{p})
	if err != nil {
		return nil, err
	}
	defer on.Server.Close()
	run, _, err := on.decideOne(ctx, p)
	return run, err
}

// started returns a copy whose server has started, with room for the plan with the most rows.
func (a *Ask) started(ctx context.Context, plans []*Plan) (*Ask, error) {
	on := *a
	if on.Server == nil {
		on.Server = models{a.Version}
	}
	rows := 0
	for _, p := range plans {
		rows = max(rows, p.rows())
	}
	return &on, on.Server.Start(ctx, rows)
}

// play runs every plan. The server must have started.
func (a *Ask) play(ctx context.Context, plans []*Plan) (*Result, error) {
	all := &Result{Document: *result.New(result.OfSimulate, a.Version)}
	for i, p := range plans {
		if i == 0 { // all plans have the same scripts
			if err := a.Server.Try(ctx, p); err != nil {
				return nil, err
			}
		}
		if a.Progress != nil {
			total, _ := p.Stream.Count()
			a.Progress.Scenario(p.Scenario.Name, i+1, len(plans), total)
		}
		run, picture, err := a.decideOne(ctx, p)
		if err != nil {
			return nil, err
		}
		all.Document.Runs = append(all.Document.Runs, *run)
		if !run.Partial || endTogether(run.Results) { // otherwise the rows share no time axis
			all.Charts = append(all.Charts, *picture)
		}
		left := len(plans) - i - 1
		stopped := run.Partial || left > 0 && message.Closed(a.Stop)
		run = &all.Document.Runs[i]
		if stopped {
			all.Interrupted, all.Kept = true, a.Server.Kept()
			if left > 0 {
				run.Notes = append(run.Notes,
					fmt.Sprintf("interrupted: scenarios after this one that did not run: %d", left))
			}
		}
		if a.Decided != nil {
			a.Decided(run)
		}
		if stopped {
			break
		}
	}
	return all, nil
}

// decideOne runs one plan, and once more under the other rule for whole seconds.
func (a *Ask) decideOne(ctx context.Context, p *Plan) (*result.Run, *curves.Input, error) {
	if err := a.rehearse(ctx, p); err != nil {
		return nil, nil, err
	}
	rows, outcome, err := a.decideRows(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	run := a.describe(p, rows, outcome)
	picture := &curves.Input{Run: run, Version: a.Version, Traffic: outcome.Traffic}
	if run.Reference != nil {
		picture.Reference = &outcome.ReferenceSeries
	}
	for i, l := range outcome.Rows {
		picture.Algorithms = append(picture.Algorithms,
			curves.Row{Label: rows[i].Label, Series: l.Series, Traffic: rows[i].traffic})
	}
	if a.OtherRule && !run.Partial && p.Stream.Spread() > 0 {
		other := Ask{Scenarios: []*scenario.Scenario{p.Scenario.UnderRule(traffic.AtStart)}, Algorithms: a.Algorithms,
			Instead: a.Instead, Version: a.Version, Stop: a.Stop}
		found, err := other.Run(ctx)
		if err != nil {
			return nil, nil, err
		}
		if !found.Interrupted {
			run.Notes = append(run.Notes, wholeSeconds(run, &found.Document.Runs[0])...)
		}
	}
	return run, picture, nil
}

// rehearse runs users' scripts on a private server before they run on a given one, where a script that loops after a
// write cannot be killed.
func (a *Ask) rehearse(ctx context.Context, p *Plan) error {
	only := *p
	only.sequences, only.Limiters = nil, p.Foreign()
	if _, given := a.Server.Describe(); !given || len(only.Limiters) == 0 {
		return nil
	}
	server, err := a.Server.Private(ctx)
	if err != nil {
		return err
	}
	defer server.Close()
	silent := Ask{Server: server, Stop: a.Stop}
	_, _, err = silent.decideRows(ctx, &only)
	return err
}

// decideRows has the rows decide a plan's traffic, counts the keys that they leave on the server, and deletes them.
func (a *Ask) decideRows(ctx context.Context, p *Plan) ([]*row, *replay.Outcome, error) {
	if p.Scenario.Reactive() {
		return a.react(ctx, p)
	}
	rows, err := a.rows(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	o := replay.Options{Sources: runtime.GOMAXPROCS(0), Stop: a.Stop, Scales: p.scales()}
	if a.Progress != nil {
		o.Progress = a.Progress.Requests
	}
	var all []replay.Row
	for _, r := range rows {
		all = append(all, r.replayed())
	}
	outcome, err := replay.Run(ctx, p.Stream, p.Policy, all, o)
	for i := 0; err == nil && i < len(rows); i++ {
		err = rows[i].survey(ctx, outcome.LastUS)
	}
	if err = a.Server.Clean(ctx, err); err != nil {
		return nil, nil, err
	}
	return rows, outcome, nil
}

// mostRowsNamed is the most rows that wholeSeconds names.
const mostRowsNamed = 3

// wholeSeconds names the rows that decide differently under the other rule, as in "3 instead of 0 (gcra)". It is empty
// if none does.
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

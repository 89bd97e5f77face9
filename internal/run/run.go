// Package run is the main hall, where limiters meet scenarios; simulate and bench share it. An Ask says what is wanted.
//
//   - Ask.Plans resolves names. Scenarios, limits and limiters become Plans; one error lists all that is wrong.
//   - Ask.Play sends each plan's traffic past all of its Limiters at once, and measures what each of them decides.
//     Where clients react, each limiter has traffic of its own.
//   - The Result has the document, and the data of its charts.
//
// A Server lets scripts decide in virtual time: package host has one. Without a Server the Go models decide; with one
// they check the scripts. Ask.Compare plays two limiters beside each other and finds the first request on which they
// differ.
//
// The hall opens no file, dials nothing and starts no process: scripts, scenarios and a Server are handed to it. Flags,
// output and exit codes are the commands'.
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
	Algorithms []algorithms.Choice // nil: all, and the labels that a scenario expects something of
	Expected   bool                // only the rows that a scenario expects something of, instead of Algorithms
	Scripts    []script.File       // users' own
	Server     Server              // where the scripts decide; nil: the Go models decide
	Instead

	Version string
	Stop    <-chan struct{} // closed: end early and mark the document partial

	Progress  Progress
	OtherRule bool              // a note says what the other rule for whole seconds comes to, where a trace has such
	Decided   func(*result.Run) // is called with each scenario's figures as soon as they are there; nil: the same
	// Watch says who sees what a row decides, batch by batch. It is asked for each row of a scenario, in order. nil:
	// nobody does.
	Watch func(scenario, label string) (func([]limit.Request, []limit.Decision) error, error)
}

// Progress is told how far a run is. Total is 0 where it is not known.
type Progress interface {
	Scenario(name string, number, of int, total int64)
	Requests(done int64)
}

// Result is what was found.
type Result struct {
	Document result.Document
	Charts   []curves.Input
	Warnings []string

	Interrupted bool   // it was stopped: the last run is partial, or its notes say how many are missing
	Kept        string // what an interrupted run has left on a given server; "": nothing
}

// Run decides what is asked for. Errors are a *replay.InputError, the server's or what else kept the harness from
// running; there is no result then. A document with missed expectations is no error here.
func (a *Ask) Run(ctx context.Context) (*Result, error) {
	plans, err := a.Plans()
	if err != nil {
		return nil, err
	}
	return a.Play(ctx, plans)
}

// Play decides every plan. Its errors are those of Run.
func (a *Ask) Play(ctx context.Context, plans []*Plan) (*Result, error) {
	on, err := a.started(ctx, plans)
	if err != nil {
		return nil, err
	}
	defer on.Server.Close()
	return on.play(ctx, plans)
}

// PlayOne decides one plan, and tries no script first. A run that was stopped is partial.
func (a *Ask) PlayOne(ctx context.Context, p *Plan) (*result.Run, error) {
	on, err := a.started(ctx, []*Plan{p})
	if err != nil {
		return nil, err
	}
	defer on.Server.Close()
	run, _, err := on.decideOne(ctx, p)
	return run, err
}

// started is what is asked for with a server that has started, for the plan with the most rows.
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

// play decides every plan. The server has started.
func (a *Ask) play(ctx context.Context, plans []*Plan) (*Result, error) {
	all := &Result{Document: *result.New(result.OfSimulate, a.Version)}
	for i, p := range plans {
		if i == 0 { // all plans have the same scripts
			var err error
			if all.Warnings, err = a.Server.Try(ctx, p); err != nil {
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
		if !run.Partial || endTogether(run.Results) { // or they share no axis
			all.Charts = append(all.Charts, *picture)
		}
		left := len(plans) - i - 1
		stopped := run.Partial || left > 0 && message.Closed(a.Stop)
		run = &all.Document.Runs[i]
		if stopped {
			all.Interrupted, all.Kept = true, a.Server.Kept()
			if left > 0 {
				run.Notes = append(run.Notes,
					fmt.Sprintf("interrupted: of the scenarios after this one, %d were not run", left))
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

// decideOne decides one plan, and what the other rules for whole seconds come to.
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
	for i, l := range outcome.Lanes {
		if play := rows[i].sequence; play != nil {
			l.Series.Keys = play.Keys(l.Series.BucketUS, len(l.Series.Admitted))
		}
		picture.Algorithms = append(picture.Algorithms,
			curves.Lane{Label: rows[i].Label, Series: l.Series, Traffic: rows[i].traffic})
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

// rehearse has the users' scripts decide a plan's requests on a private server before they do on a given one: nothing
// ends a script there that loops once it has written.
func (a *Ask) rehearse(ctx context.Context, p *Plan) error {
	only := *p
	only.sequences, only.Limiters = nil, p.foreign()
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

// decideRows sends a plan's traffic past its rows, looks at what they leave on their servers, and deletes it.
func (a *Ask) decideRows(ctx context.Context, p *Plan) ([]*row, *replay.Outcome, error) {
	if p.Scenario.Reactive() {
		return a.react(ctx, p)
	}
	rows, err := a.rows(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	o := replay.Options{Sources: runtime.GOMAXPROCS(0), Stop: a.Stop}
	if a.Progress != nil {
		o.Progress = a.Progress.Requests
	}
	var lanes []replay.Lane
	for _, r := range rows {
		lanes = append(lanes, r.lane())
	}
	outcome, err := replay.Run(ctx, p.Stream, p.Policy, lanes, p.measured(o))
	for i := 0; err == nil && i < len(rows); i++ {
		err = rows[i].survey(ctx, outcome.LastUS)
	}
	if err = a.Server.Clean(ctx, err); err != nil {
		return nil, nil, err
	}
	return rows, outcome, nil
}

// mostRowsNamed is how many rows that decide otherwise are named.
const mostRowsNamed = 3

// wholeSeconds says which rows decide otherwise under the other rule, as in "3 instead of 0 (gcra)"; none where no row
// does.
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

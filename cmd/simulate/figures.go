package main

import (
	"context"
	"fmt"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// fewScenarios are as many as people want to read a table of each.
const fewScenarios = 5

// atAGlance reports whether the answer is one matrix, and not a table for each scenario: scenarios in which clients
// react have no place in it.
func (f *flags) atAGlance(job *run.Ask) bool {
	placed := 0
	for _, s := range job.Scenarios {
		if s.Clients == nil {
			placed++
		}
	}
	return !f.all && placed > fewScenarios
}

// figures prints what can be printed at once, and has the job print the rest: more than a few scenarios are one matrix,
// by the models; of a few each has its table as soon as it is decided. Other forms come whole. It gives what is to be
// printed at the end.
func (a *app) figures(ctx context.Context, f *flags, job *run.Ask) (func(*result.Document) error, error) {
	terminal := a.Terminal(f.Quiet)
	switch {
	case f.columns.Value != nil:
		return func(d *result.Document) error { return report.WriteColumns(a.Stdout, d, f.columns.Value) }, nil
	case f.Format.Value != report.TableFormat:
		return func(d *result.Document) error {
			return report.DocumentFormats.Write(a.Stdout, f.Format.Value, d, terminal)
		}, nil
	case f.atAGlance(job):
		found, err := a.byModels(ctx, job, nil)
		if err == nil && found.Interrupted {
			err = fmt.Errorf("%w: nothing was decided", cli.ErrInterrupted)
		}
		if err != nil {
			return nil, err
		}
		models := &found.Document
		return func(d *result.Document) error {
			if err := report.WriteConfirmation(a.Stdout, d, models, terminal); err != nil {
				return err
			}
			return report.WriteExaminations(a.Stdout, d, terminal)
		}, report.WriteMatrix(a.Stdout, models, terminal)
	}
	first := true
	var failed error
	job.Decided = func(r *result.Run) {
		if failed == nil {
			failed = report.WriteNext(a.Stdout, r, first, terminal)
		}
		first = false
	}
	return func(d *result.Document) error {
		if failed != nil {
			return failed
		}
		return report.WriteExaminations(a.Stdout, d, terminal)
	}, nil
}

// foretell says of a log what the models decide, while the Lua has yet to confirm it: on a server a log takes ten times
// as long. Whatever keeps the models from an answer is left to the job to tell.
func (a *app) foretell(ctx context.Context, f *flags, job *run.Ask) {
	if f.Quiet || f.Files == nil || job.Server == nil {
		return
	}
	bar := a.NewBar(false)
	defer bar.Finish()
	found, err := a.byModels(ctx, job, progressOf(bar, job.Scenarios))
	if err != nil || found.Interrupted {
		return
	}
	bar.Finish()
	if said := report.AtAGlance(&found.Document.Runs[0]); said != "" {
		fmt.Fprintf(a.Stderr, "simulate: the models say: %s; confirming with the Lua ...\n", message.Shown(said))
	}
}

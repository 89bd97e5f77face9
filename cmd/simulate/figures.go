package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// fewScenarios is the most scenarios that are shown with a table each.
const fewScenarios = 5

// atAGlance reports whether the output is the matrix instead of a table per scenario.
func (f *flags) atAGlance(job *job) bool { return !f.all && len(job.Scenarios) > fewScenarios }

// figures prints what can be printed early, and makes the job print the rest. Many scenarios are shown as one matrix,
// which the models decide. A few scenarios get a table each, as soon as they have been decided. Other formats are
// printed as a whole. figures returns a function that prints what comes at the end.
func (a *app) figures(ctx context.Context, f *flags, job *job, shown report.Simulated) (
	func(*result.Document) error, error) {
	terminal := a.Terminal(f.Quiet)
	switch {
	case f.Format.Value != report.TableFormat:
		return func(d *result.Document) error {
			return shown.Formats().Write(a.Stdout, f.Format.Value, d, terminal)
		}, nil
	case f.atAGlance(job):
		found, err := job.models(ctx, nil)
		if err == nil && found.Interrupted {
			err = fmt.Errorf("%w: nothing was decided", message.ErrInterrupted)
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
	written, charts := 0, shown.Charts
	var failed error
	job.Decided = func(r *result.Run) {
		written++
		if shown.Charts = ""; written == len(job.Scenarios) {
			shown.Charts = charts
		}
		if failed == nil {
			failed = shown.WriteRun(a.Stdout, r, written == 1, terminal)
		}
	}
	return func(d *result.Document) error {
		if failed != nil {
			return failed
		}
		return report.WriteExaminations(a.Stdout, d, terminal)
	}, nil
}

// shown returns how to show the run's document. If one scenario is played, it includes a suggestion for the next
// command.
func (f *flags) shown(c *cobra.Command, args []string, job *job, charts bool) report.Simulated {
	s := report.Simulated{Columns: f.columns, Several: len(job.Scenarios) > 1,
		Matrix: f.atAGlance(job)}
	if f.Quiet {
		return s
	}
	if charts {
		s.Charts = f.Folder
	}
	if !s.Several && job.Instead.Limits == nil && noChoice(job.Scenarios[0]) == "" {
		again := cli.Again(c, args, "algorithms", "all", "charts", "columns", "decisions", "force", "format", "out",
			"quiet", "redis", "scale", "seed", "theme", "with")
		s.Next = strings.Replace(again, "simulate", "simulate recommend", 1)
	}
	return s
}

// checkColumns refuses columns if the format has none.
func (f *flags) checkColumns() error {
	if f.columns == nil {
		return nil
	}
	if !slices.Contains([]string{report.TableFormat, "csv", "markdown"}, f.Format.Value) {
		return cli.Usage("--columns: goes with --format table, csv or markdown")
	}
	if err := report.CheckColumns(f.columns, f.Format.Value); err != nil {
		return cli.Usage("--columns: %w", err)
	}
	return nil
}

// foretell prints what the models decide for a log, before the scripts confirm it. On a server a log takes ten times as
// long, unless the scripts confirm only a sample. Errors of the models are ignored here, since the job reports them.
func (a *app) foretell(ctx context.Context, f *flags, job *job) {
	if f.Quiet || f.Files == nil || job.byModels() || job.Sample && job.Scripts == nil {
		return
	}
	bar := a.NewBar(false)
	defer bar.Finish()
	found, err := job.models(ctx, progressOf(bar, job.Scenarios))
	if err != nil || found.Interrupted {
		return
	}
	bar.Finish()
	if said := report.AtAGlance(&found.Document.Runs[0]); said != "" {
		fmt.Fprintf(a.Stderr, "simulate: the models say: %s; confirming with the Lua ...\n", message.Shown(said))
	}
}
